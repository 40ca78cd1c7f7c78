import { FairSlots } from '../../runtime/fair-slots.ts';
import { inChunks } from '../../runtime/in-chunks.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import { type ChatList, chatListIn } from './chat-list.ts';
import type { ChatRow } from './chat-row.ts';

export type { ChatFilter } from './chat-list.ts';
export type { ChatRow, ChatStatus, Tag } from './chat-row.ts';

export type ChatPatch = Partial<Omit<ChatRow, '_id' | 'id' | 'tenant_id' | 'session_id' | 'chat_id' | 'is_group' | 'rev' | 'created_at'>>;

export type LastMessage = Pick<ChatRow, 'last_message' | 'last_message_at' | 'last_message_id'>;

export interface Chats {
  find(tenantId: string, sessionId: string, chatId: string): Promise<ChatRow | null>;
  readonly list: ChatList;
  open(row: ChatRow): Promise<void>;
  /** Calls `decide` again if the chat has changed in the meantime. A null patch leaves it unchanged. */
  change(
    tenantId: string,
    sessionId: string,
    chatId: string,
    decide: (row: ChatRow) => Promise<ChatPatch | null> | ChatPatch | null,
  ): Promise<ChatRow | null>;
  said(tenantId: string, sessionId: string, chatId: string, last: LastMessage): Promise<void>;
  devicesWith(tenantId: string, chatId: string): Promise<readonly string[]>;
  remove(row: ChatRow): Promise<boolean>;
  these(tenantId: string, sessionId: string, chatIds: readonly string[]): Promise<ChatRow[]>;
  loads(tenantId: string, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  assignees(tenantId: string, sessionId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  waitingForPhone(tenantId: string, sessionId: string, limit: number): Promise<ChatRow[]>;
  assigneesOf(tenantId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, readonly (string | null)[]>>;
  /** Unassigns the agent's chats. The rule chooses another agent at the next inbound message. */
  leave(tenantId: string, agentId: string, now: number): Promise<void>;
  withOutbox(limit: number, withoutTenants: readonly string[]): Promise<ChatRow[]>;
  announced(rows: readonly ChatRow[]): Promise<void>;
}

const OF_DEVICE = { session_id: 1, last_message_at: -1, id: -1 } as const;
const OF_TENANT = { tenant_id: 1, last_message_at: -1, id: -1 } as const;

export const chatsSpec: CollectionSpec = {
  name: 'chats',
  indexes: [
    // The embedded store uses the first of equally good indexes, so a device's indexes come before
    // a tenant's.
    { name: 'of_device', keys: OF_DEVICE },
    { name: 'inbox', keys: OF_TENANT },
    { name: 'of_person', keys: { tenant_id: 1, chat_id: 1 } },
    { name: 'of_agent', keys: { tenant_id: 1, agent_id: 1, last_message_at: -1, id: -1 } },
    { name: 'unread_of_device', keys: OF_DEVICE, where: { unread_count: { $gt: 0 } } },
    { name: 'unread_inbox', keys: OF_TENANT, where: { unread_count: { $gt: 0 } } },
    // Few chats are in these indexes, so storing a message rarely has to update them.
    { name: 'pinned', keys: OF_TENANT, where: { pinned: true } },
    { name: 'archived', keys: OF_TENANT, where: { archived: true } },
    { name: 'pending', keys: OF_TENANT, where: { status: 'pending' } },
    { name: 'for_phone', keys: { session_id: 1 }, where: { waits_for_phone: true } },
    { name: 'timed', keys: { session_id: 1 }, where: { ephemeral: { $gt: 0 } } },
    { name: 'load', keys: { tenant_id: 1, agent_id: 1, status: 1 } },
    { name: 'outbox', keys: { assigned_at: 1 }, where: { outbox_pending: true } },
    { name: 'snoozed', keys: { tenant_id: 1, snoozed_until: 1 }, where: { snoozed_until: { $gte: 0 } } },
    { name: 'older_of_device', keys: { session_id: 1 }, where: { older_until: { $gte: 0 } } },
    { name: 'older', keys: { tenant_id: 1, older_until: 1 }, where: { older_until: { $gte: 0 } } },
    { name: 'older_due', keys: { older_until: 1, _id: 1 }, where: { older_until: { $gte: 0 } } },
    { name: 'snooze_due', keys: { snoozed_until: 1, _id: 1 }, where: { snoozed_until: { $gte: 0 } } },
  ],
  arrays: ['tag_names'],
};

const COUNTED_TOGETHER = 10;

export const chatKey = (sessionId: string, chatId: string): string => `${sessionId}:${chatId}`;

export function chatsIn(store: Store): Chats {
  const chats: Collection<ChatRow> = store.collection<ChatRow>(chatsSpec);
  // Runs changes to a chat one at a time, because concurrent changes would conflict and have to
  // start again.
  const changing = new FairSlots({ slots: Number.POSITIVE_INFINITY, share: 1 });
  const find = (tenant_id: string, sessionId: string, chatId: string): Promise<ChatRow | null> =>
    chats.findOne({ _id: chatKey(sessionId, chatId), tenant_id });

  return {
    find,

    list: chatListIn(store, chats),

    async open(row) {
      try {
        await chats.insertOne(row);
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    change: (tenantId, sessionId, chatId, decide) =>
      changing.run(chatKey(sessionId, chatId), async () => {
        for (;;) {
          const row = await find(tenantId, sessionId, chatId);
          const patch = row && (await decide(row));
          if (!row || !patch) return row;
          const update = { $set: patch, $inc: { rev: 1 } };
          const changed = await chats.findOneAndUpdate({ _id: row._id, rev: row.rev }, update, { returnDocument: 'after' });
          if (changed) return changed;
        }
      }),

    async said(tenant_id, sessionId, chatId, last) {
      const earlier = { _id: chatKey(sessionId, chatId), tenant_id, last_message_id: { $lte: last.last_message_id } };
      await chats.updateOne(earlier, { $set: last, $inc: { rev: 1 } });
    },

    async devicesWith(tenant_id, chat_id) {
      const found = await chats.find({ tenant_id, chat_id }, { projection: { session_id: 1 } }).toArray();
      return found.map(({ session_id }) => session_id);
    },

    remove: async ({ _id, rev }) => (await chats.deleteOne({ _id, rev })).deletedCount === 1,

    async loads(tenant_id, agentIds) {
      const loadOf = (agent_id: string) => chats.countDocuments({ tenant_id, agent_id, status: { $in: ['open', 'pending'] } });
      const loads: (readonly [agentId: string, load: number])[] = [];
      for (const some of inChunks(agentIds, COUNTED_TOGETHER))
        loads.push(...(await Promise.all(some.map(async (id) => [id, await loadOf(id)] as const))));
      return new Map(loads);
    },

    these: async (tenant_id, sessionId, chatIds) =>
      chatIds.length === 0 ? [] : chats.find({ _id: { $in: chatIds.map((id) => chatKey(sessionId, id)) }, tenant_id }).toArray(),

    async assignees(tenant_id, sessionId, chatIds) {
      const ids = [...new Set(chatIds)].map((chatId) => chatKey(sessionId, chatId));
      const found = await chats.find({ _id: { $in: ids }, tenant_id }, { projection: { chat_id: 1, agent_id: 1 } }).toArray();
      return new Map(found.map(({ chat_id, agent_id }) => [chat_id, agent_id]));
    },

    waitingForPhone: (tenant_id, session_id, limit) => chats.find({ session_id, waits_for_phone: true, tenant_id }, { limit }).toArray(),

    async assigneesOf(tenant_id, chatIds) {
      const ids = [...new Set(chatIds)];
      if (ids.length === 0) return new Map();
      const found = await chats.find({ tenant_id, chat_id: { $in: ids } }, { projection: { chat_id: 1, agent_id: 1 } }).toArray();
      const byPerson = Map.groupBy(found, ({ chat_id }) => chat_id);
      return new Map([...byPerson].map(([chatId, own]) => [chatId, own.map(({ agent_id }) => agent_id)]));
    },

    async leave(tenant_id, agent_id, now) {
      const unassigned = { agent_id: null, assigned_at: now, assigned_by: tenant_id, assigned_from: agent_id, outbox_pending: true };
      await chats.updateMany({ tenant_id, agent_id }, { $set: { ...unassigned, seeks_agent: true }, $inc: { assignments: 1, rev: 1 } });
    },

    withOutbox: (limit, withoutTenants) =>
      chats.find({ outbox_pending: true, tenant_id: { $nin: withoutTenants } }, { sort: { assigned_at: 1 }, limit }).toArray(),
    announced: async (rows) =>
      void (await Promise.all(
        rows.map(({ _id, assignments }) => chats.updateOne({ _id, assignments }, { $set: { outbox_pending: false } })),
      )),
  };
}
