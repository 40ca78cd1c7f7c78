import type { Page } from '../paging/page.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';

export type ChatStatus = 'open' | 'pending' | 'resolved';

export interface Tag {
  readonly name: string;
  readonly color: string;
}

/** A conversation of a device. Times are epoch ms; message ids are ULIDs, '' where there is none. */
export interface ChatRow {
  /** `<device>:<address>`. */
  readonly _id: string;
  /** The address that callers see. */
  readonly id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** Full address of the person or the group. */
  readonly chat_id: string;
  readonly chat_name: string | null;
  /** 1: a group. */
  readonly is_group: 0 | 1;
  readonly last_message: string | null;
  readonly last_message_at: number;
  readonly last_message_id: string;
  /** The newest message that came in, as far as this row knows. */
  readonly last_inbound_id: string;
  /** Everything up to this message has been read. */
  readonly read_up_to: string;
  /** Inbound messages after `read_up_to`, counted up to 1,000. */
  readonly unread_count: number;
  readonly status: ChatStatus;
  /** An inbound message after this one re-opens the chat. */
  readonly decided_at: string;
  /** When it was resolved last; absent: never. */
  readonly resolved_at?: number;
  /** The message for which it was handed to a person last; absent: none. */
  readonly handed_off?: string;
  readonly agent_id: string | null;
  /** It became new or open again while unassigned: the tenant's rule chooses an agent. */
  readonly seeks_agent: boolean;
  /** Counts the changes of `agent_id`; the outbox refers to the last one. */
  readonly assignments: number;
  /** 0: never. */
  readonly assigned_at: number;
  /** Who decided it: an agent, the tenant (its owner and keys), or null: the rule. */
  readonly assigned_by: string | null;
  readonly assigned_from: string | null;
  /** The event of the last assignment is perhaps not recorded yet. */
  readonly outbox_pending: boolean;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly tags: readonly Tag[];
  readonly tag_names: readonly string[];
  /** Newest first. */
  readonly notes: readonly string[];
  /** Counts its changes: each applies to the revision that was read, or not at all. */
  readonly rev: number;
  readonly created_at: number;
}

export interface ChatFilter {
  readonly session_id?: string;
  readonly session_ids?: readonly string[];
  readonly status?: ChatStatus;
  /** null: unassigned. */
  readonly agent_id?: string | null;
  readonly unread?: boolean;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly tag?: string;
  /** Only chats that this agent may see: assigned to them, or to nobody. */
  readonly seenBy?: string;
}

export type ChatPatch = Partial<Omit<ChatRow, '_id' | 'id' | 'tenant_id' | 'session_id' | 'chat_id' | 'is_group' | 'rev' | 'created_at'>>;

/** What a chat says of its newest message. */
export type LastMessage = Pick<ChatRow, 'last_message' | 'last_message_at' | 'last_message_id'>;

export interface Chats {
  find(tenantId: string, sessionId: string, chatId: string): Promise<ChatRow | null>;
  /** Newest first by `last_message_at`; `beforeId` is an `id`. */
  list(tenantId: string, filter: ChatFilter, page: Page): Promise<ChatRow[]>;
  /** Stores it unless it is there. */
  open(row: ChatRow): Promise<void>;
  /**
   * Changes it to what `decide` makes of it; asked again where somebody else changed it meanwhile. What it throws is thrown; null from it:
   * nothing to change. Null: there is no such chat.
   */
  change(
    tenantId: string,
    sessionId: string,
    chatId: string,
    decide: (row: ChatRow) => Promise<ChatPatch | null> | ChatPatch | null,
  ): Promise<ChatRow | null>;
  /** This is its last message, unless it knows a later one. */
  said(tenantId: string, sessionId: string, chatId: string, last: LastMessage): Promise<void>;
  /** The tenant's devices that have a chat with this address. */
  devicesWith(tenantId: string, chatId: string): Promise<readonly string[]>;
  /** Removes it as it was read; false: it changed since. */
  remove(row: ChatRow): Promise<boolean>;
  /** These chats of a device; unknown ones are left out. */
  these(tenantId: string, sessionId: string, chatIds: readonly string[]): Promise<ChatRow[]>;
  /** How many chats that are not resolved each of these agents has. */
  loads(tenantId: string, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The agent of each of these chats of a device; unknown chats are unassigned. */
  assignees(tenantId: string, sessionId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Whom the chats with each of these people are assigned to, on whatever devices; without a chat: not in it. */
  assigneesOf(tenantId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, readonly (string | null)[]>>;
  /** The agent is gone: their chats are unassigned, and an inbound message lets the rule choose anew. */
  leave(tenantId: string, agentId: string, now: number): Promise<void>;
  /** Chats whose last assignment was perhaps not announced. */
  withOutbox(limit: number): Promise<ChatRow[]>;
  /** Their last assignments, as they were read, are announced. */
  announced(rows: readonly ChatRow[]): Promise<void>;
}

export const chatsSpec: CollectionSpec = {
  name: 'chats',
  indexes: [
    { name: 'inbox', keys: { tenant_id: 1, last_message_at: -1, id: -1 } },
    { name: 'of_device', keys: { session_id: 1, last_message_at: -1, id: -1 } },
    { name: 'of_person', keys: { tenant_id: 1, chat_id: 1 } },
    { name: 'of_agent', keys: { tenant_id: 1, agent_id: 1, last_message_at: -1, id: -1 } },
    { name: 'unread_inbox', keys: { tenant_id: 1, last_message_at: -1, id: -1 }, where: { unread_count: { $gt: 0 } } },
    { name: 'unread_of_device', keys: { session_id: 1, last_message_at: -1, id: -1 }, where: { unread_count: { $gt: 0 } } },
    { name: 'load', keys: { tenant_id: 1, agent_id: 1, status: 1 } },
    { name: 'outbox', keys: { assigned_at: 1 }, where: { outbox_pending: true } },
  ],
  arrays: ['tag_names', 'notes'],
};

export const chatKey = (sessionId: string, chatId: string): string => `${sessionId}:${chatId}`;

export function chatsIn(store: Store): Chats {
  const chats: Collection<ChatRow> = store.collection<ChatRow>(chatsSpec);
  const find = (tenant_id: string, sessionId: string, chatId: string): Promise<ChatRow | null> =>
    chats.findOne({ _id: chatKey(sessionId, chatId), tenant_id });

  return {
    find,

    list: (tenant_id, filter, page) =>
      chats
        .find({ tenant_id, ...conditions(filter), ...olderThan(page) }, { sort: { last_message_at: -1, id: -1 }, limit: page.limit })
        .toArray(),

    async open(row) {
      try {
        await chats.insertOne(row);
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    async change(tenantId, sessionId, chatId, decide) {
      for (;;) {
        const row = await find(tenantId, sessionId, chatId);
        const patch = row && (await decide(row));
        if (!row || !patch) return row;
        const update = { $set: patch, $inc: { rev: 1 } };
        const changed = await chats.findOneAndUpdate({ _id: row._id, rev: row.rev }, update, { returnDocument: 'after' });
        if (changed) return changed;
      }
    },

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
      const counts = await Promise.all(
        agentIds.map((agent_id) => chats.countDocuments({ tenant_id, agent_id, status: { $in: ['open', 'pending'] } })),
      );
      return new Map(agentIds.map((id, nth) => [id, counts[nth] ?? 0]));
    },

    these: async (tenant_id, sessionId, chatIds) =>
      chatIds.length === 0 ? [] : chats.find({ _id: { $in: chatIds.map((id) => chatKey(sessionId, id)) }, tenant_id }).toArray(),

    async assignees(tenant_id, sessionId, chatIds) {
      const ids = [...new Set(chatIds)].map((chatId) => chatKey(sessionId, chatId));
      const found = await chats.find({ _id: { $in: ids }, tenant_id }, { projection: { chat_id: 1, agent_id: 1 } }).toArray();
      return new Map(found.map(({ chat_id, agent_id }) => [chat_id, agent_id]));
    },

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

    withOutbox: (limit) => chats.find({ outbox_pending: true }, { sort: { assigned_at: 1 }, limit }).toArray(),
    announced: async (rows) =>
      void (await Promise.all(
        rows.map(({ _id, assignments }) => chats.updateOne({ _id, assignments }, { $set: { outbox_pending: false } })),
      )),
  };
}

function conditions({ tag, unread, seenBy, session_ids, ...same }: ChatFilter): Filter {
  return {
    ...same,
    ...(session_ids && { session_id: { $in: session_ids } }),
    ...(tag !== undefined && { tag_names: tag }),
    ...(unread !== undefined && { unread_count: unread ? { $gt: 0 } : 0 }),
    ...(seenBy !== undefined && { agent_id: { $in: [seenBy, null].filter((id) => same.agent_id === undefined || id === same.agent_id) } }),
  };
}

function olderThan({ before, beforeId }: Page): Filter {
  if (before === null) return {};
  return {
    last_message_at: { $lte: before },
    $or: [{ last_message_at: { $lt: before } }, { id: { $lt: beforeId ?? '' } }],
  };
}
