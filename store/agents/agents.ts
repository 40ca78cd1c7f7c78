import { insertPlaced, placesIndex } from '../patterns/places.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** A customer-service agent of a tenant. Times are epoch ms. */
export interface AgentRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly name: string;
  /** Digits; unique in the tenant. Of those who proved to hold it, unique over all tenants, and over their owners by way of accounts/phone-claims.ts. */
  readonly phone: string;
  /** The agent signed in with a code that was sent to this phone. Until then it is an invitation, and the number is free. */
  readonly is_verified: boolean;
  readonly is_active: boolean;
  /** Deleted: for everybody but the sweep it does not exist, and its phone is free. */
  readonly is_gone: boolean;
  /** It went out (deactivated, deleted, another phone), and its logins and chats perhaps did not follow yet. */
  readonly leaving: boolean;
  /** When it last went out; 0: never. Logins opened since are no business of that going. */
  readonly left_at: number;
  /** The last call or look at an open stream that was noted; 0: never, or logged out since. */
  readonly last_seen_at: number;
  /** When it logged out last; 0: never. Calls of before may be noted later. */
  readonly away_at: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** See patterns/places.ts. */
  readonly place?: number;
}

export type AgentPatch = Partial<Pick<AgentRow, 'name' | 'phone' | 'is_verified' | 'is_active' | 'is_gone' | 'leaving' | 'left_at'>>;

export interface Agents {
  /** 'taken': the phone is another agent's of the tenant; 'full': the tenant has `limit` agents. However many are added at once. */
  add(row: AgentRow, limit: number): Promise<'added' | 'taken' | 'full'>;
  find(tenantId: string, id: string): Promise<AgentRow | null>;
  /** Who signs in with this phone. */
  byPhone(phone: string): Promise<AgentRow | null>;
  /** Active invitations for this phone that were not used yet, of all tenants; newest first. */
  invited(phone: string, limit: number): Promise<AgentRow[]>;
  /** The agent proved to hold the phone. 'taken': another one did before; null: there is no such invitation any more. */
  verify(row: AgentRow, now: number): Promise<AgentRow | 'taken' | null>;
  /** By name, of equals the older one first. */
  list(tenantId: string): Promise<AgentRow[]>;
  count(tenantId: string): Promise<number>;
  /** Those who may be given chats, in the order of their ids. */
  active(tenantId: string): Promise<AgentRow[]>;
  /** Which of these, of whichever tenants, are active and hold their number? */
  activeOf(ids: readonly string[]): Promise<readonly string[]>;
  /** 'taken': the phone is another agent's of the tenant. Null: there is no such agent. */
  change(tenantId: string, id: string, patch: AgentPatch, now: number): Promise<AgentRow | 'taken' | null>;
  /** They called, or have a stream open. */
  seen(ids: readonly string[], now: number): Promise<void>;
  /** Logged out at `now`: not online until seen later. A call of before may be noted after it. */
  away(tenantId: string, id: string, now: number): Promise<void>;
  /** Agents that went out before `until` and whose going is not settled, gone ones too. */
  leaving(until: number, limit: number): Promise<AgentRow[]>;
  /** All of its going is settled, unless it went out again since it was read. Forgets it when it is gone. */
  outboxProcessed(row: AgentRow): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'agents',
  indexes: [
    { name: 'by_verified_phone', keys: { phone: 1 }, unique: true, where: { is_gone: false, is_verified: true } },
    { name: 'by_invited_phone', keys: { phone: 1, created_at: -1, _id: -1 }, where: { is_gone: false, is_verified: false } },
    { name: 'phones_of_team', keys: { tenant_id: 1, phone: 1 }, unique: true, where: { is_gone: false } },
    { name: 'team', keys: { tenant_id: 1, created_at: -1, _id: -1 }, where: { is_gone: false } },
    placesIndex({ is_gone: false }),
    { name: 'of_tenant', keys: { tenant_id: 1 } },
    { name: 'leaving', keys: { left_at: 1 }, where: { leaving: true } },
  ],
};

const nameKey = ({ name, _id }: AgentRow): string => `${name.toLowerCase()}\u0000${_id}`;

export function agentsIn(store: Store): Agents {
  const agents: Collection<AgentRow> = store.collection<AgentRow>(spec);
  const here = { is_gone: false } as const;

  return {
    async add(row, limit) {
      try {
        return (await insertPlaced(agents, row, limit, here)) ? 'added' : 'full';
      } catch (cause) {
        if (isDuplicateKey(cause) && 'phone' in cause.keyPattern) return 'taken';
        throw cause;
      }
    },

    find: (tenant_id, _id) => agents.findOne({ _id, tenant_id, ...here }),
    byPhone: (phone) => agents.findOne({ phone, ...here, is_verified: true }),
    invited: (phone, limit) =>
      agents.find({ phone, ...here, is_verified: false, is_active: true }, { sort: { created_at: -1, _id: -1 }, limit }).toArray(),

    async verify({ _id, tenant_id, phone }, now) {
      try {
        const update = { $set: { is_verified: true, updated_at: now } };
        return await agents.findOneAndUpdate({ _id, tenant_id, phone, ...here, is_active: true }, update, { returnDocument: 'after' });
      } catch (cause) {
        if (isDuplicateKey(cause)) return 'taken';
        throw cause;
      }
    },

    async list(tenant_id) {
      const found = await agents.find({ tenant_id, ...here }).toArray();
      return found.sort((a, b) => (nameKey(a) < nameKey(b) ? -1 : 1));
    },
    count: (tenant_id) => agents.countDocuments({ tenant_id, ...here }),

    async active(tenant_id) {
      const found = await agents.find({ tenant_id, ...here, is_active: true }).toArray();
      return found.sort((a, b) => (a._id < b._id ? -1 : 1));
    },

    activeOf: async (ids) =>
      (await agents.find({ _id: { $in: ids }, ...here, is_active: true, is_verified: true }, { projection: { _id: 1 } }).toArray()).map(
        ({ _id }) => _id,
      ),

    async change(tenant_id, _id, patch, now) {
      const update = { $set: { ...patch, updated_at: now } };
      try {
        return await agents.findOneAndUpdate({ _id, tenant_id, ...here }, update, { returnDocument: 'after' });
      } catch (cause) {
        if (isDuplicateKey(cause)) return 'taken';
        throw cause;
      }
    },

    seen: async (ids, now) => void (await agents.updateMany({ _id: { $in: ids }, away_at: { $lt: now } }, { $set: { last_seen_at: now } })),
    away: async (tenant_id, _id, now) => void (await agents.updateOne({ _id, tenant_id }, { $set: { last_seen_at: 0, away_at: now } })),

    leaving: (until, limit) => agents.find({ leaving: true, left_at: { $lte: until } }, { sort: { left_at: 1 }, limit }).toArray(),

    async outboxProcessed({ _id, is_gone, left_at }) {
      if (is_gone) await agents.deleteOne({ _id, is_gone });
      else await agents.updateOne({ _id, left_at }, { $set: { leaving: false } });
    },
  };
}
