import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from './collection.ts';
import type { Page } from './messages.ts';

/** A customer-service agent of a tenant (api.md "Inbox"). Times are epoch ms. */
export interface AgentRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly name: string;
  /** Digits; unique over all agents, and over tenants' owners by way of phone-claims.ts. */
  readonly phone: string;
  readonly is_active: boolean;
  /** Deleted: for everybody but the sweep it does not exist, and its phone is free. */
  readonly is_gone: boolean;
  /** It went out (deactivated, deleted, another phone), and its logins and chats perhaps did not follow yet. */
  readonly leaving: boolean;
  /** When it last went out; 0: never. Logins opened since are no business of that going. */
  readonly left_at: number;
  /** The last call or look at an open stream that was noted; 0: never, or logged out since. */
  readonly last_seen_at: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export type AgentPatch = Partial<Pick<AgentRow, 'name' | 'phone' | 'is_active' | 'is_gone' | 'leaving' | 'left_at'>>;

export interface Agents {
  /** False: the phone is another agent's. */
  add(row: AgentRow): Promise<boolean>;
  find(tenantId: string, id: string): Promise<AgentRow | null>;
  byPhone(phone: string): Promise<AgentRow | null>;
  /** Newest first. */
  list(tenantId: string, page: Page): Promise<AgentRow[]>;
  count(tenantId: string): Promise<number>;
  /** Those who may be given chats, in the order of their ids. */
  active(tenantId: string): Promise<AgentRow[]>;
  /** Which of these, of whichever tenants, are active? */
  activeOf(ids: readonly string[]): Promise<readonly string[]>;
  /** 'taken': the phone is another agent's. Null: there is no such agent. */
  change(tenantId: string, id: string, patch: AgentPatch, now: number): Promise<AgentRow | 'taken' | null>;
  /** They called, or have a stream open. */
  seen(ids: readonly string[], now: number): Promise<void>;
  /** Logged out: not online until seen again. */
  away(tenantId: string, id: string): Promise<void>;
  /** Agents that went out before `until` and whose going is not settled, gone ones too. */
  leaving(until: number, limit: number): Promise<AgentRow[]>;
  /** All of its going is settled, unless it went out again since it was read. Forgets it when it is gone. */
  settled(row: AgentRow): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'agents',
  indexes: [
    { name: 'by_phone', keys: { phone: 1 }, unique: true, where: { is_gone: false } },
    { name: 'team', keys: { tenant_id: 1, created_at: -1, _id: -1 }, where: { is_gone: false } },
    { name: 'leaving', keys: { left_at: 1 }, where: { leaving: true } },
  ],
};

export function agentsIn(store: Store): Agents {
  const agents: Collection<AgentRow> = store.collection<AgentRow>(spec);
  const here = { is_gone: false } as const;

  return {
    async add(row) {
      try {
        await agents.insertOne(row);
        return true;
      } catch (cause) {
        if (isDuplicateKey(cause) && 'phone' in cause.keyPattern) return false;
        throw cause;
      }
    },

    find: (tenant_id, _id) => agents.findOne({ _id, tenant_id, ...here }),
    byPhone: (phone) => agents.findOne({ phone, ...here }),
    list: (tenant_id, page) =>
      agents.find({ tenant_id, ...here, ...olderThan(page) }, { sort: { created_at: -1, _id: -1 }, limit: page.limit }).toArray(),
    count: (tenant_id) => agents.countDocuments({ tenant_id, ...here }),

    async active(tenant_id) {
      const found = await agents.find({ tenant_id, ...here, is_active: true }).toArray();
      return found.sort((a, b) => (a._id < b._id ? -1 : 1));
    },

    activeOf: async (ids) =>
      (await agents.find({ _id: { $in: ids }, ...here, is_active: true }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),

    async change(tenant_id, _id, patch, now) {
      const update = { $set: { ...patch, updated_at: now } };
      try {
        return await agents.findOneAndUpdate({ _id, tenant_id, ...here }, update, { returnDocument: 'after' });
      } catch (cause) {
        if (isDuplicateKey(cause)) return 'taken';
        throw cause;
      }
    },

    seen: async (ids, now) => void (await agents.updateMany({ _id: { $in: ids } }, { $set: { last_seen_at: now } })),
    away: async (tenant_id, _id) => void (await agents.updateOne({ _id, tenant_id }, { $set: { last_seen_at: 0 } })),

    leaving: (until, limit) => agents.find({ leaving: true, left_at: { $lte: until } }, { sort: { left_at: 1 }, limit }).toArray(),

    async settled({ _id, is_gone, left_at }) {
      if (is_gone) await agents.deleteOne({ _id, is_gone });
      else await agents.updateOne({ _id, left_at }, { $set: { leaving: false } });
    },
  };
}

function olderThan({ before, beforeId }: Page) {
  if (before === null) return {};
  return { created_at: { $lte: before }, $or: [{ created_at: { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] };
}
