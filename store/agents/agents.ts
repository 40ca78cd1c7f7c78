import { insertPlaced, placesIndex } from '../patterns/places.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface AgentRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly name: string;
  /** Digits; unique in the tenant. A verified phone is unique across all tenants and owners. */
  readonly phone: string;
  readonly is_verified: boolean;
  readonly is_active: boolean;
  /** True after deletion. Only the cleanup still reads the row, and the phone can be used again. */
  readonly is_gone: boolean;
  /** True if the agent has left but the agent's logins and chats may not have been updated yet. */
  readonly leaving: boolean;
  /** Time when the agent last left, or 0. Logins opened later are not affected. */
  readonly left_at: number;
  /** Time of the last recorded call or stream check; 0 if never, or if the agent has logged out since. */
  readonly last_seen_at: number;
  /** Time of the last log-out, or 0. Calls made before it may still be recorded afterwards. */
  readonly away_at: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly place?: number;
}

export type AgentPatch = Partial<Pick<AgentRow, 'name' | 'phone' | 'is_verified' | 'is_active' | 'is_gone' | 'leaving' | 'left_at'>>;

export interface Agents {
  /**
   * Returns 'taken' if another agent has the phone, or 'full' if there are `limit` agents, even if
   * calls are concurrent.
   */
  add(row: AgentRow, limit: number): Promise<'added' | 'taken' | 'full'>;
  find(tenantId: string, id: string): Promise<AgentRow | null>;
  byPhone(phone: string): Promise<AgentRow | null>;
  invited(phone: string, limit: number): Promise<AgentRow[]>;
  /**
   * Returns 'taken' if another agent has verified the phone, or null if the invitation no longer
   * exists.
   */
  verify(row: AgentRow, now: number): Promise<AgentRow | 'taken' | null>;
  list(tenantId: string): Promise<AgentRow[]>;
  count(tenantId: string): Promise<number>;
  active(tenantId: string): Promise<AgentRow[]>;
  activeOf(ids: readonly string[]): Promise<readonly string[]>;
  change(tenantId: string, id: string, patch: AgentPatch, now: number): Promise<AgentRow | 'taken' | null>;
  seen(ids: readonly string[], now: number): Promise<void>;
  away(tenantId: string, id: string, now: number): Promise<void>;
  /** Agents, including deleted ones, who left before `until` and whose logins and chats may need updating. */
  leaving(until: number, limit: number): Promise<AgentRow[]>;
  /** Has no effect if the agent has left again. Removes the row of a deleted agent. */
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
