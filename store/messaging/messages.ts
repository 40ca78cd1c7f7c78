import { setImmediate as nextTurn } from 'node:timers/promises';
import { at } from '../../runtime/invariant.ts';
import type { DeviceRow } from '../devices/devices.ts';
import { AdaptiveRange } from '../paging/adaptive-range.ts';
import { merged } from '../paging/merged.ts';
import type { Page } from '../paging/page.ts';
import { walkedPage } from '../paging/walked-page.ts';
import { type Collection, type CollectionSpec, type Cursor, type Filter, isDuplicateKey, type Store } from '../port.ts';
import { type Claims, claimsIn } from './claims.ts';
import { conditions, type LogFilter, newestFirst } from './log-filter.ts';
import type { Backoff, MessageRow, Owner } from './message-row.ts';
import { changed, messageMove, milestonesOf } from './message-status.ts';
import { type Aliases, FIRST, MAX_NAMESAKES, type MessagesByNetId, messagesByNetId, NET_ID_INDEXES, nameOf, TWINS } from './net-ids.ts';
import { type PreviewNotes, previewNotesIn } from './preview-notes.ts';
import { type RunOutcomes, runIndex, runOutcomesIn } from './run-outcomes.ts';
import { type StatusUpdates, statusUpdatesIn } from './status-updates.ts';
import { type UnknownOutcomes, unknownOutcomesIn } from './unknown-outcomes.ts';
import { type UnsentMessages, unsentMessagesIn } from './unsent-messages.ts';
import { WireIds } from './wire-ids.ts';

export {
  type AiFacts,
  type EntryType,
  LANES,
  type MediaFacts,
  type MessageParts,
  type MessageRow,
  type MessageType,
  type Milestone,
  type Origin,
  type Owner,
  type OwnPreview,
  type StoredStatus,
} from './message-row.ts';

export { UNSENT_ERRORS } from './unsent-messages.ts';

export interface Messages extends Claims, StatusUpdates, UnsentMessages, UnknownOutcomes, RunOutcomes, PreviewNotes, MessagesByNetId {
  accept(row: MessageRow): Promise<void>;
  find(tenantId: string, sessionId: string, id: string): Promise<MessageRow | null>;
  findAnywhere(tenantId: string, id: string): Promise<MessageRow | null>;
  postedAs(sessionId: string, channelId: string, serverId: string): Promise<MessageRow | null>;
  list(tenantId: string, sessionId: string, filter: LogFilter, page: Page): AsyncIterable<MessageRow>;
  oldest(tenantId: string, sessionId: string, chatId: string): Promise<MessageRow | null>;
  waiting(tenantId: string, sessionId: string, after: QueuePlace | null, limit: number): AsyncIterable<MessageRow>;
  queued(tenantId: string, sessionId: string, most: number): Promise<number>;
  backlog(tenantId: string, sessionId: string): Promise<{ depth: number; oldestAt: number | null }>;
  sentSince(tenantId: string, sessionId: string, since: number): Promise<number>;
  unread(sessionId: string, chatId: string, afterId: string): Promise<number>;
  /** Cancels unclaimed messages created up to `until`. The caller refunds their quota. */
  cancelWaiting(
    tenantId: string,
    sessionId: string,
    until: number,
    limit: number,
  ): Promise<{ readonly cancelled: readonly MessageRow[]; readonly hasMore: boolean }>;
  /** Returns null if the message was claimed or never queued. The caller refunds its quota. */
  cancel(tenantId: string, sessionId: string, id: string): Promise<MessageRow | null>;
  /** `queued → failed` with `opted_out`, for marketing messages to these chats on any device. */
  cancelMarketing(tenantId: string, chatIds: readonly string[]): Promise<MessageRow[]>;
  expire(now: number, limit: number): Promise<MessageRow[]>;
  /** `failed → queued`, charged to `quotaMonth`. Keeps the network id unless `attempt` contains one. */
  requeue(row: MessageRow, quotaMonth: string, attempt?: NewAttempt): Promise<MessageRow | null>;

  failOnWire(owner: Owner, limit: number): Promise<number>;
  /**
   * `sending` or `sent` → `queued` after a temporary refusal by the network. This change has no
   * consequences, such as events.
   */
  holdBack(owner: Owner, netId: string, backoff: Backoff): Promise<boolean>;
  markFailed(owner: Owner, netId: string, error: string): Promise<boolean>;
  /** Returns false if the message is already stored, perhaps under an alias of its chat or author. */
  receive(row: MessageRow, aliases?: Aliases): Promise<boolean>;
  withOutbox(owner: Owner, limit: number): AsyncIterable<MessageRow>;
  devicesWithOutbox(after: string, limit: number): Promise<readonly Pick<DeviceRow, '_id' | 'tenant_id'>[]>;
  outboxProcessed(rows: readonly MessageRow[]): Promise<void>;
}

/** Fields of another attempt. For an official number, it includes a new network id. */
export type NewAttempt = Partial<Pick<MessageRow, 'net_id' | 'retries'>>;

export type QueuePlace = Pick<MessageRow, '_id' | 'lane' | 'priority'>;

function behindInQueue(after: QueuePlace | null): Filter {
  if (after === null) return {};
  const { lane, priority, _id } = after;
  return {
    lane: { $gte: lane },
    $or: [{ lane: { $gt: lane } }, { lane, priority: { $lt: priority } }, { lane, priority, _id: { $gt: _id } }],
  };
}

/** A larger batch of single writes would take every pooled connection and block the event loop. */
const CANCELLED_TOGETHER = 100;
const NEWEST_FIRST = { session_id: 1, created_at: -1, _id: -1 } as const;
/**
 * Only rare statuses have an index, because an index on the common ones would slow down all writes.
 */
const RARE_STATUSES = ['failed', 'cancelled', 'deleted'] as const;
const RARE_TYPES = ['image', 'document', 'audio', 'video', 'sticker', 'location', 'poll', 'contact', 'reaction'] as const;

export const messagesSpec: CollectionSpec = {
  name: 'messages',
  indexes: [
    ...NET_ID_INDEXES,
    { name: 'log', keys: NEWEST_FIRST },
    { name: 'chat_log', keys: { session_id: 1, chat_id: 1, created_at: -1, _id: -1 } },
    ...RARE_STATUSES.map((status) => ({ name: `${status}_log`, keys: NEWEST_FIRST, where: { status } })),
    ...RARE_TYPES.map((message_type) => ({ name: `${message_type}_log`, keys: NEWEST_FIRST, where: { message_type } })),
    // Includes the chat, so that waiting messages' recipients can be listed without reading rows.
    { name: 'lanes', keys: { session_id: 1, lane: 1, priority: -1, _id: 1, chat_id: 1 }, where: { status: 'queued' } },
    { name: 'backlog', keys: NEWEST_FIRST, where: { status: 'queued' } },
    { name: 'sent', keys: { tenant_id: 1, sent_at: 1, session_id: 1 }, where: { sent_at: { $gte: 0 } } },
    { name: 'marketing', keys: { tenant_id: 1, chat_id: 1 }, where: { status: 'queued', marketing: true } },
    { name: 'expiring', keys: { expires_at: 1 }, where: { status: 'queued', expires_at: { $gte: 0 } } },
    { name: 'refunds', keys: { refund: 1 }, where: { refund: { $gte: '' } } },
    { name: 'unread', keys: { session_id: 1, chat_id: 1, _id: 1, message_type: 1 }, where: { direction: 'inbound' } },
    { name: 'reactions', keys: { session_id: 1, 'parts.reaction.target': 1, _id: 1 }, where: { message_type: 'reaction' } },
    { name: 'outbox', keys: { session_id: 1, _id: 1 }, where: { outbox_pending: true } },
    { name: 'posts', keys: { session_id: 1, chat_id: 1, server_id: 1 }, where: { server_id: { $gte: '' } } },
    { name: 'vanishing', keys: { vanishes_at: 1 }, where: { vanishes_at: { $gte: 0 } } },
    { name: 'secrets', keys: { created_at: 1 }, where: { secret: { $gte: '' } } },
    runIndex,
    { name: 'of_campaigns', keys: { session_id: 1, chat_id: 1, created_at: 1 }, where: { blast_id: { $gte: '' } } },
    { name: 'of_file', keys: { media_r2_key: 1 }, where: { media_r2_key: { $gte: '' } } },
    {
      name: 'of_preview_file',
      keys: { 'parts.link_preview.media_r2_key': 1 },
      where: { 'parts.link_preview.media_r2_key': { $gte: '' } },
    },
    { name: 'on_the_wire', keys: NEWEST_FIRST, where: { status: 'sending' } },
  ],
  retired: ['queue', 'net_id'],
};

const HAVE_INDEXES: ReadonlySet<unknown> = new Set(['queued', ...RARE_STATUSES, ...RARE_TYPES]);

function indexedPart({ direction, status, type, ...place }: LogFilter): LogFilter | null {
  const rest = { ...(status !== undefined && { status }), ...(type !== undefined && { type }) };
  const [known] = Object.entries(rest).filter(([, value]) => place.chat_id === undefined && HAVE_INDEXES.has(value));
  const isAll = direction === undefined && Object.keys(rest).length === (known ? 1 : 0);
  return isAll ? null : { ...place, ...(known && { [known[0]]: known[1] }) };
}

/** Number of a chat's oldest messages to search. Nearly always, at least one of them was sent. */
const LOOKED_AT = 100;
const isOnNetwork = ({ net_id, message_type, direction, sent_at }: MessageRow): boolean =>
  Boolean(net_id) && message_type !== 'reaction' && (direction === 'inbound' || sent_at !== null);

/** Limits the cost of counting in a chat that is never read. */
const MAX_UNREAD = 1_000;

const CANCEL = messageMove('cancelled');
const RETRY = messageMove('queued', 'failed');
const HOLD_BACK = messageMove('queued', 'sending', 'sent');
const FAIL_WAITING = messageMove('failed', 'queued');
const FAIL_SENT = messageMove('failed', 'sending', 'sent');
const AFTER = { returnDocument: 'after' } as const;
const OLDEST_FIRST = { created_at: 1, _id: 1 } as const;
const BY_TIME = { created_at: -1, _id: -1 } as const;
const BY_OWNER = { session_id: 1, _id: 1 } as const;
const OWNER = { session_id: 1, tenant_id: 1 } as const;
const WHEN = { created_at: 1 } as const;
const QUEUE_ORDER = { lane: 1, priority: -1, _id: 1 } as const;

export function messagesIn(store: Store): Messages {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  const range = new AdaptiveRange();
  const wireIds = new WireIds();
  const byNetId = messagesByNetId(messages);

  return {
    ...statusUpdatesIn(store, messages, wireIds),
    ...unsentMessagesIn(messages),
    ...unknownOutcomesIn(messages),
    ...runOutcomesIn(messages),
    ...claimsIn(messages, wireIds),
    ...previewNotesIn(messages),
    ...byNetId,

    accept: async (row) => void (await messages.insertOne(row)),

    find: (tenant_id, session_id, _id) => messages.findOne({ _id, tenant_id, session_id }),
    findAnywhere: (tenant_id, _id) => messages.findOne({ _id, tenant_id }),
    // The lower bound makes the store use the index, which contains only posts.
    postedAs: (session_id, chat_id, serverId) => messages.findOne({ session_id, chat_id, server_id: { $eq: serverId, $gte: '' } }),

    list(tenant_id, session_id, filter, page) {
      const { since = null, ...asked } = filter;
      const readIn = (since: number | null, status = asked.status, from = page): AsyncIterable<MessageRow> => {
        const filter = { ...asked, ...(status !== undefined && { status }), since };
        return messages.find({ session_id, tenant_id, ...conditions(filter, from) }, { sort: BY_TIME, limit: from.limit });
      };
      // Two stored statuses are shown as `queued`. Each is read through its index, and the results
      // are merged.
      const read = (since: number | null, from = page): AsyncIterable<MessageRow> =>
        asked.status === 'queued'
          ? merged([readIn(since, 'queued', from), readIn(since, 'sending', from)], newestFirst, from.limit)
          : readIn(since, asked.status, from);
      if (asked.net_id !== undefined) {
        const named = { session_id, tenant_id, ...conditions({ ...asked, since }, page) };
        return pageOf([FIRST, TWINS].map((slot) => messages.find({ ...named, ...slot }, { limit: MAX_NAMESAKES })));
      }
      if (store.name === 'embedded') {
        const indexed = indexedPart(asked);
        if (indexed === null) return read(since);
        return walkedPage({
          owner: tenant_id,
          page,
          since,
          placeOf: ({ created_at, _id }) => ({ at: created_at, id: _id }),
          async behind(from, skip) {
            const { chat_id: _, ...time } = conditions({ ...indexed, since: null }, from);
            const place = { session_id, ...time, ...(indexed.chat_id !== undefined && { chat_id: indexed.chat_id }) };
            const [row] = await messages.find(place, { sort: BY_TIME, skip, limit: 1, projection: WHEN }).toArray();
            return row ?? null;
          },
          read: (from, since) => read(since, from),
        });
      }
      if (filter.chat_id !== undefined) return read(since);
      const key = [session_id, asked.direction, asked.status, asked.type].join();
      return range.page({ key, from: page.before ?? asked.until ?? page.now ?? null, since, limit: page.limit, read });
    },

    async oldest(tenant_id, session_id, chat_id) {
      const found = await messages.find({ session_id, chat_id, tenant_id }, { sort: OLDEST_FIRST, limit: LOOKED_AT }).toArray();
      return found.find(isOnNetwork) ?? null;
    },

    waiting: (tenant_id, session_id, after, limit) =>
      messages.find({ session_id, tenant_id, status: 'queued', ...behindInQueue(after) }, { sort: QUEUE_ORDER, limit }),

    queued: (tenant_id, session_id, most) => messages.countDocuments({ session_id, tenant_id, status: 'queued' }, { limit: most }),

    async backlog(tenant_id, session_id) {
      const filter = { session_id, tenant_id, status: 'queued' };
      const [depth, oldest] = await Promise.all([messages.countDocuments(filter), messages.findOne(filter, { sort: OLDEST_FIRST })]);
      return { depth, oldestAt: oldest?.created_at ?? null };
    },

    sentSince: (tenant_id, session_id, since) => messages.countDocuments({ tenant_id, sent_at: { $gte: Math.max(0, since) }, session_id }),

    unread: (session_id, chat_id, afterId) =>
      messages.countDocuments(
        { session_id, chat_id, direction: 'inbound', _id: { $gt: afterId }, message_type: { $ne: 'reaction' } },
        { limit: MAX_UNREAD },
      ),

    async cancelWaiting(tenant_id, session_id, until, limit) {
      const filter = { session_id, tenant_id, status: 'queued', created_at: { $lte: until } };
      const found = await messages.find(filter, { sort: BY_TIME, limit, projection: { _id: 1 } }).toArray();
      const cancelled = await Promise.all(
        found.map(({ _id }) => messages.findOneAndUpdate({ _id, ...CANCEL.from }, changed(CANCEL.to), AFTER)),
      );
      return { cancelled: cancelled.filter((row) => row !== null), hasMore: found.length === limit };
    },

    cancel: (tenant_id, session_id, _id) =>
      messages.findOneAndUpdate({ _id, tenant_id, session_id, ...CANCEL.from }, changed(CANCEL.to), AFTER),

    async cancelMarketing(tenant_id, chatIds) {
      const filter = { tenant_id, chat_id: { $in: chatIds }, status: 'queued', marketing: true };
      const stopped: MessageRow[] = [];
      for (;;) {
        // Every row found here is changed, so the next query finds other rows.
        const found = await messages.find(filter, { limit: CANCELLED_TOGETHER }).toArray();
        stopped.push(...(await failAll(messages, found, 'opted_out')));
        if (found.length < CANCELLED_TOGETHER) return stopped;
        await nextTurn();
      }
    },

    async expire(now, limit) {
      const late = { status: 'queued', expires_at: { $gte: 0, $lt: now } };
      const found = await messages.find(late, { sort: { expires_at: 1 }, limit }).toArray();
      return failAll(messages, found, 'expired');
    },

    requeue({ _id, tenant_id, session_id, ...row }, quota_month, attempt = {}) {
      const unknown_since = row.unknown_since ?? (row.error === 'unknown_outcome' ? row.claimed_at : null);
      const unsent = { error: null, attempts: 0, claimed_at: null, sent_at: null, quota_month };
      return messages.findOneAndUpdate(
        { _id, tenant_id, session_id, direction: 'outbound', net_id: row.net_id, ...RETRY.from },
        {
          ...changed({ ...RETRY.to, ...unsent, ...attempt, ...(unknown_since !== null && { unknown_since }) }),
          $unset: { backoff: '', held: '' },
          $pull: { processed: 'sent' },
        },
        AFTER,
      );
    },

    async failOnWire({ tenantId, sessionId, epoch }, limit) {
      const filter = { session_id: sessionId, tenant_id: tenantId, status: 'sending', epoch: { $lte: epoch } };
      const found = await messages.find(filter, { sort: OLDEST_FIRST, limit, projection: { _id: 1 } }).toArray();
      const ids = found.map(({ _id }) => _id);
      if (ids.length > 0)
        await messages.updateMany({ _id: { $in: ids }, ...filter }, changed({ ...FAIL_SENT.to, error: 'unknown_outcome' }));
      return ids.length;
    },

    async holdBack({ sessionId, epoch }, netId, backoff) {
      const filter = { session_id: sessionId, net_id: netId, ...FIRST, ...HOLD_BACK.from, epoch: { $lte: epoch } };
      return (await messages.updateOne(filter, { $set: { ...HOLD_BACK.to, backoff }, $inc: { rev: 1 } })).matchedCount === 1;
    },

    async markFailed({ sessionId, epoch }, netId, error) {
      const filter = { session_id: sessionId, net_id: netId, ...FIRST, ...FAIL_SENT.from, epoch: { $lte: epoch } };
      return (await messages.updateOne(filter, changed({ ...FAIL_SENT.to, error }))).matchedCount === 1;
    },

    async receive(row, aliases) {
      if (await isInserted(messages, row)) return true;
      const slot = row.twin === undefined ? await byNetId.slotOf(row, aliases) : null;
      if (slot !== null) return isInserted(messages, { ...row, ...slot });
      if (row.history) return false;
      const [same] = await byNetId.namesakes(row.session_id, nameOf(row, aliases));
      return same ? promote(messages, same, row) : false;
    },

    withOutbox: ({ tenantId, sessionId }, limit) =>
      messages.find({ session_id: sessionId, tenant_id: tenantId, outbox_pending: true }, { sort: { _id: 1 }, limit }),

    async devicesWithOutbox(after, limit) {
      const filter = { session_id: { $gt: after }, outbox_pending: true };
      const rows = await messages.find(filter, { sort: BY_OWNER, limit, projection: OWNER }).toArray();
      return [...new Map(rows.map(({ session_id: _id, tenant_id }) => [_id, { _id, tenant_id }])).values()];
    },

    async outboxProcessed(rows) {
      const alike = Map.groupBy(rows, (row) => JSON.stringify([row.rev, milestonesOf(row)])).values();
      await Promise.all([...alike].map((own) => processed(messages, own)));
    },
  };
}

async function processed(messages: Collection<MessageRow>, rows: readonly MessageRow[]): Promise<void> {
  const first = at(rows, 0);
  const update = { $set: { outbox_pending: false, processed: milestonesOf(first) } };
  await messages.updateMany({ _id: { $in: rows.map(({ _id }) => _id) }, rev: first.rev }, update);
}

async function failAll(messages: Collection<MessageRow>, rows: readonly MessageRow[], error: string): Promise<MessageRow[]> {
  const failed = changed({ ...FAIL_WAITING.to, error });
  const moved = await Promise.all(rows.map(({ _id }) => messages.findOneAndUpdate({ _id, ...FAIL_WAITING.from }, failed, AFTER)));
  return moved.filter((row) => row !== null);
}

async function* pageOf(found: readonly Cursor<MessageRow>[]): AsyncGenerator<MessageRow, void, void> {
  const rows = await Promise.all(found.map((some) => some.toArray()));
  yield* rows.flat().toSorted(newestFirst);
}

async function isInserted(messages: Collection<MessageRow>, row: MessageRow): Promise<boolean> {
  try {
    await messages.insertOne(row);
    return true;
  } catch (cause) {
    if (!isDuplicateKey(cause)) throw cause;
    return false;
  }
}

async function promote(messages: Collection<MessageRow>, { _id }: MessageRow, came: MessageRow): Promise<boolean> {
  const { _id: _own, created_at: _, secret: _ofOther, lane: _lane, twin: _twin, ...row } = came;
  const promoted = { $set: { deferred_media: null, ...row, history: false } };
  return (await messages.updateOne({ _id, history: true }, promoted)).matchedCount === 1;
}
