import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store, type Update } from './collection.ts';
import { type MessageMarks, messageMarksIn } from './message-marks.ts';
import type { EntryType, MessageRow, Owner, StoredStatus } from './message-row.ts';
import { Reach } from './reach.ts';

export {
  type EntryType,
  LANES,
  type MediaFacts,
  type MessageParts,
  type MessageRow,
  type MessageType,
  type Origin,
  type Owner,
  type StoredStatus,
} from './message-row.ts';

export interface LogFilter {
  readonly chat_id?: string;
  readonly direction?: 'inbound' | 'outbound';
  readonly status?: StoredStatus;
  readonly type?: EntryType;
  readonly since?: number;
  readonly until?: number;
}

export interface Page {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
  /** The time, where the caller knows it: what is newest lies close to it. */
  readonly now?: number;
}

export interface Messages extends MessageMarks {
  /** Resolves when it is durable. */
  accept(row: MessageRow): Promise<void>;
  find(tenantId: string, sessionId: string, id: string): Promise<MessageRow | null>;
  /** By the network's id for it. */
  known(sessionId: string, netId: string): Promise<MessageRow | null>;
  /** Newest first. */
  list(tenantId: string, sessionId: string, filter: LogFilter, page: Page): Promise<readonly MessageRow[]>;
  /** What waits, in the order in which it will leave. */
  waiting(tenantId: string, sessionId: string, limit: number): Promise<MessageRow[]>;
  backlog(tenantId: string, sessionId: string): Promise<{ depth: number; oldestAt: number | null }>;
  sentSince(tenantId: string, sessionId: string, since: number): Promise<number>;
  /** How many inbound ones of a chat (reactions are none) came after the message `afterId` ('': from the first), counted up to `MOST_UNREAD`. */
  unread(sessionId: string, chatId: string, afterId: string): Promise<number>;
  /** Cancels what has not been claimed; gives those rows (their quota is to be given back). */
  cancelWaiting(tenantId: string, sessionId: string): Promise<MessageRow[]>;
  /** Cancels one that has not been claimed; null: it has, or was never queued. Its quota is to be given back. */
  cancel(tenantId: string, sessionId: string, id: string): Promise<MessageRow | null>;
  /** `queued → failed` with `opted_out` for what is marketing and waits for these chats, on whichever device; gives those rows. */
  withhold(tenantId: string, chatIds: readonly string[]): Promise<MessageRow[]>;
  /** `queued → failed` with `expired` for what may not be sent any more, the oldest first, at most `limit`; gives what moved. */
  expire(now: number, limit: number): Promise<MessageRow[]>;
  /** It failed and takes no quota any more, unless it changed since it was read. */
  unpaid(row: MessageRow): Promise<void>;
  /** `failed → queued` under the network id that it has, paid from `quotaMonth`; null: it is not failed any more. */
  requeue(tenantId: string, sessionId: string, id: string, quotaMonth: string): Promise<MessageRow | null>;

  /** Takes these rows out of the device's lanes, where they still wait: `queued → sending`. Only the owner calls it. */
  claim(owner: Owner, rows: readonly MessageRow[], now: number): Promise<MessageRow[]>;
  /** Takes over the rows that were on the wire when the last line or the last owner ended: to be sent again under the same network id. */
  retake(owner: Owner, limit: number): Promise<MessageRow[]>;
  /** `sending` or `sent` → `failed`; true when it moved. */
  markFailed(owner: Owner, netId: string, error: string): Promise<boolean>;
  /** Stores an inbound one; false: it was there already. */
  receive(row: MessageRow): Promise<boolean>;
  /** Rows of this device that owe something, oldest first. */
  owing(owner: Owner, limit: number): Promise<MessageRow[]>;
  /** All that followed from these rows, as they were read, is stored. */
  settled(rows: readonly MessageRow[]): Promise<void>;
}

const NEWEST_FIRST = { session_id: 1, created_at: -1, _id: -1 } as const;
/** What few messages are is found without reading past the many, and costs the many nothing. */
const RARE_STATUSES = ['failed', 'cancelled', 'deleted'] as const;
const RARE_TYPES = ['image', 'document', 'audio', 'video', 'sticker', 'location', 'poll', 'contact', 'reaction'] as const;

export const messagesSpec: CollectionSpec = {
  name: 'messages',
  indexes: [
    { name: 'net_id', keys: { session_id: 1, net_id: 1 }, unique: true },
    { name: 'log', keys: NEWEST_FIRST },
    { name: 'chat_log', keys: { session_id: 1, chat_id: 1, created_at: -1, _id: -1 } },
    ...RARE_STATUSES.map((status) => ({ name: `${status}_log`, keys: NEWEST_FIRST, where: { status } })),
    ...RARE_TYPES.map((message_type) => ({ name: `${message_type}_log`, keys: NEWEST_FIRST, where: { message_type } })),
    { name: 'queue', keys: { session_id: 1, lane: 1, priority: -1, _id: 1 }, where: { status: 'queued' } },
    { name: 'marketing', keys: { tenant_id: 1, chat_id: 1 }, where: { status: 'queued', marketing: true } },
    { name: 'expiring', keys: { expires_at: 1 }, where: { status: 'queued', expires_at: { $gte: 0 } } },
    { name: 'unread', keys: { session_id: 1, chat_id: 1, _id: 1, message_type: 1 }, where: { direction: 'inbound' } },
    { name: 'reactions', keys: { session_id: 1, 'parts.reaction.target': 1, _id: 1 }, where: { message_type: 'reaction' } },
    { name: 'owing', keys: { session_id: 1, _id: 1 }, where: { owes: true } },
    { name: 'on_the_wire', keys: { session_id: 1, _id: 1 }, where: { status: 'sending' } },
  ],
};

/** A chat that nobody ever reads costs no more than this to count. */
const MOST_UNREAD = 1_000;

const OWES = { owes: true } as const;
const CHANGED = { rev: 1 } as const;
const CANCELLED: Update = { $set: { status: 'cancelled', ...OWES }, $inc: CHANGED };
const AFTER = { returnDocument: 'after' } as const;
const BY_TIME = { created_at: -1, _id: -1 } as const;
const QUEUE_ORDER = { lane: 1, priority: -1, _id: 1 } as const;

export function messagesIn(store: Store): Messages {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  const reach = new Reach();

  return {
    ...messageMarksIn(store, messages),

    accept: async (row) => void (await messages.insertOne(row)),

    find: (tenant_id, session_id, _id) => messages.findOne({ _id, tenant_id, session_id }),
    known: (session_id, net_id) => messages.findOne({ session_id, net_id }),

    list(tenant_id, session_id, filter, page) {
      const { since = null, ...asked } = filter;
      const read = (since: number | null): Promise<MessageRow[]> =>
        messages.find({ session_id, tenant_id, ...conditions({ ...asked, since }, page) }, { sort: BY_TIME, limit: page.limit }).toArray();
      // An embedded store walks its index, and a chat is rarely long.
      if (store.name === 'embedded' || filter.chat_id !== undefined) return read(since);
      const key = [session_id, asked.direction, asked.status, asked.type].join();
      return reach.page({ key, from: page.before ?? asked.until ?? page.now ?? null, since, limit: page.limit, read });
    },

    waiting: (tenant_id, session_id, limit) =>
      messages.find({ session_id, tenant_id, status: 'queued' }, { sort: QUEUE_ORDER, limit }).toArray(),

    async backlog(tenant_id, session_id) {
      const filter = { session_id, tenant_id, status: 'queued' };
      const [depth, oldest] = await Promise.all([messages.countDocuments(filter), messages.findOne(filter, { sort: { _id: 1 } })]);
      return { depth, oldestAt: oldest?.created_at ?? null };
    },

    sentSince: (tenant_id, session_id, since) =>
      messages.countDocuments({ session_id, tenant_id, created_at: { $gte: since - 3_600_000 }, sent_at: { $gte: since } }),

    unread: (session_id, chat_id, afterId) =>
      messages.countDocuments(
        { session_id, chat_id, direction: 'inbound', _id: { $gt: afterId }, message_type: { $ne: 'reaction' } },
        { limit: MOST_UNREAD },
      ),

    async cancelWaiting(tenant_id, session_id) {
      const filter = { session_id, tenant_id, status: 'queued' };
      const found = await messages.find(filter, { sort: QUEUE_ORDER }).toArray();
      const cancelled = await Promise.all(found.map(({ _id }) => messages.findOneAndUpdate({ _id, status: 'queued' }, CANCELLED, AFTER)));
      return cancelled.filter((row) => row !== null);
    },

    cancel: (tenant_id, session_id, _id) => messages.findOneAndUpdate({ _id, tenant_id, session_id, status: 'queued' }, CANCELLED, AFTER),

    async withhold(tenant_id, chatIds) {
      const filter = { tenant_id, chat_id: { $in: chatIds }, status: 'queued', marketing: true };
      const found = await messages.find(filter).toArray();
      return failAll(messages, found, 'opted_out');
    },

    async expire(now, limit) {
      const late = { status: 'queued', expires_at: { $gte: 0, $lt: now } };
      const found = await messages.find(late, { sort: { expires_at: 1 }, limit }).toArray();
      return failAll(messages, found, 'expired');
    },

    async unpaid({ _id, rev }) {
      await messages.updateOne({ _id, rev, status: 'failed' }, { $set: { quota_month: null } });
    },

    requeue: (tenant_id, session_id, _id, quota_month) =>
      messages.findOneAndUpdate(
        { _id, tenant_id, session_id, direction: 'outbound', status: 'failed' },
        { $set: { status: 'queued', error: null, attempts: 0, claimed_at: null, sent_at: null, quota_month } },
        AFTER,
      ),

    claim({ epoch }, rows, now) {
      const update = { $set: { status: 'sending', epoch, claimed_at: now }, $inc: { attempts: 1 } };
      return takeAll(messages, rows, { status: 'queued', epoch: { $lte: epoch } }, update, { status: 'sending', epoch });
    },

    async retake({ tenantId, sessionId, epoch }, limit) {
      const found = await messages
        .find({ session_id: sessionId, tenant_id: tenantId, status: 'sending' }, { sort: { _id: 1 }, limit })
        .toArray();
      const update = { $set: { epoch }, $inc: { attempts: 1 } };
      return takeAll(messages, found, { status: 'sending', epoch: { $lte: epoch } }, update, { status: 'sending', epoch });
    },

    async markFailed({ sessionId, epoch }, netId, error) {
      const filter = { session_id: sessionId, net_id: netId, status: { $in: ['sending', 'sent'] }, epoch: { $lte: epoch } };
      return (await messages.updateOne(filter, { $set: { status: 'failed', error, ...OWES }, $inc: CHANGED })).matchedCount === 1;
    },

    async receive(row) {
      try {
        await messages.insertOne(row);
        return true;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return row.history ? false : promote(messages, row);
      }
    },

    owing: ({ tenantId, sessionId }, limit) =>
      messages.find({ session_id: sessionId, tenant_id: tenantId, owes: true }, { sort: { _id: 1 }, limit }).toArray(),

    async settled(rows) {
      await Promise.all(rows.map(({ _id, rev }) => messages.updateOne({ _id, rev }, { $set: { owes: false } })));
    },
  };
}

/** Those that still wait end; gives them. */
async function failAll(messages: Collection<MessageRow>, rows: readonly MessageRow[], error: string): Promise<MessageRow[]> {
  const failed: Update = { $set: { status: 'failed', error, ...OWES }, $inc: CHANGED };
  const moved = await Promise.all(rows.map(({ _id }) => messages.findOneAndUpdate({ _id, status: 'queued' }, failed, AFTER)));
  return moved.filter((row) => row !== null);
}

/** Known from a history, and now it comes as new: what follows from a message follows from it, too. */
async function promote(messages: Collection<MessageRow>, { _id, created_at: _, ...row }: MessageRow): Promise<boolean> {
  const { session_id, net_id } = row;
  return (
    (await messages.updateOne({ session_id, net_id, history: true }, { $set: { left_file: null, ...row, history: false } }))
      .matchedCount === 1
  );
}

function conditions(filter: Omit<LogFilter, 'since'> & { readonly since: number | null }, page: Page): Filter {
  const { chat_id, direction, status, type, since, until } = filter;
  const written = { ...(since !== null && { $gte: since }), ...(until !== undefined && { $lt: until }) };
  return {
    ...(chat_id !== undefined && { chat_id }),
    ...(direction !== undefined && { direction }),
    ...(status !== undefined && { status: status === 'queued' ? { $in: ['queued', 'sending'] } : status }),
    ...(type !== undefined && { message_type: type }),
    ...(page.before === null && Object.keys(written).length > 0 && { created_at: written }),
    ...(page.before !== null && {
      $and: [
        { created_at: { ...written, $lte: page.before } },
        { $or: [{ created_at: { $lt: page.before } }, { _id: { $lt: page.beforeId ?? '' } }] },
      ],
    }),
  };
}

/** Moves the found rows in one write; only where somebody (a cancel) came between are they read again to see which moved. */
async function takeAll(
  messages: Collection<MessageRow>,
  found: readonly MessageRow[],
  from: Filter,
  update: Update,
  to: Filter,
): Promise<MessageRow[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ _id }) => _id);
  const { matchedCount } = await messages.updateMany({ _id: { $in: ids }, ...from }, update);
  const taken = matchedCount === ids.length ? found : await messages.find({ _id: { $in: ids }, ...to }).toArray();
  const moved = new Set(taken.map(({ _id }) => _id));
  return found.filter(({ _id }) => moved.has(_id)).map((row) => ({ ...row, attempts: row.attempts + 1 }));
}
