import type { MessageParts, MessageType } from '../messaging/messages.ts';
import type { Page } from '../paging/page.ts';
import { olderThan } from '../paging/page.ts';
import { insertPlacedOfMany, placesIndex } from '../patterns/places.ts';
import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';
import { type OverdueList, overdueIn, overdueIndex } from './overdue.ts';

export type ScheduledStatus = 'pending' | 'sending' | 'sent' | 'failed';

export interface ScheduledContent {
  readonly to: string;
  readonly message_type: MessageType;
  readonly body: string | null;
  readonly parts: MessageParts;
  readonly media_r2_key: string | null;
  readonly quotes: string | null;
  readonly priority: number;
}

export interface ScheduledRow extends ScheduledContent {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly chat_id: string;
  /** The username that the request named. If it has a new owner by the due time, nothing is sent. */
  readonly username?: string | null;
  readonly asked: Readonly<Record<string, unknown>>;
  readonly scheduled_at: number;
  readonly status: ScheduledStatus;
  /** Chosen when due, before sending, so that several attempts store only one message. */
  readonly message_id: string | null;
  readonly error: string | null;
  readonly due_at: number | null;
  readonly created_at: number;
  readonly store?: string;
  /** Set for a cart reminder, which is sent only if the checkout is still open. */
  readonly reminder?: { readonly link_id: string; readonly checkout_id: string };
}

export type ScheduledPatch = Partial<ScheduledContent & Pick<ScheduledRow, 'chat_id' | 'username' | 'asked' | 'scheduled_at'>>;

export interface Scheduled extends OverdueList {
  /**
   * Returns false if `limit` such messages are already waiting for the device, even if calls are
   * concurrent.
   */
  createWithin(row: ScheduledRow, limit: number): Promise<boolean>;
  put(row: ScheduledRow): Promise<void>;
  find(tenantId: string, sessionId: string, id: string): Promise<ScheduledRow | null>;
  list(tenantId: string, sessionId: string, status: ScheduledStatus | undefined, page: Page): AsyncIterable<ScheduledRow>;
  /** Returns null if the message is no longer pending or the patch is based on an outdated request. */
  change(asRead: ScheduledRow, patch: ScheduledPatch): Promise<ScheduledRow | null>;
  remove(tenantId: string, sessionId: string, id: string): Promise<boolean>;
  withdraw(tenantId: string, id: string): Promise<boolean>;
  released(tenantId: string, id: string): Promise<ScheduledRow | null>;

  due(tenantId: string, now: number, limit: number): Promise<ScheduledRow[]>;
  nextDue(tenantId: string): Promise<number | null>;
  claim(id: string, messageId: string, now: number): Promise<ScheduledRow | null>;
  postpone(id: string, until: number): Promise<void>;
  handedOver(id: string): Promise<void>;
  /** May correct an earlier outcome. Returns true if this outcome is new. */
  ended(id: string, status: 'sent' | 'failed', error: string | null): Promise<boolean>;
}

const PENDING = { status: 'pending' } as const;

const spec: CollectionSpec = {
  name: 'scheduled',
  indexes: [
    { name: 'newest', keys: { session_id: 1, created_at: -1, _id: -1 } },
    { name: 'by_status', keys: { session_id: 1, status: 1, created_at: -1, _id: -1 } },
    { name: 'due', keys: { tenant_id: 1, due_at: 1 }, where: { due_at: { $gte: 0 } } },
    overdueIndex,
    placesIndex(PENDING, 'session_id'),
  ],
};

const AFTER = { returnDocument: 'after' } as const;

export function scheduledIn(store: Store): Scheduled {
  const rows: Collection<ScheduledRow> = store.collection<ScheduledRow>(spec);

  return {
    createWithin: (row, limit) => insertPlacedOfMany(rows, row, limit, PENDING, 'session_id'),
    find: (tenant_id, session_id, _id) => rows.findOne({ _id, tenant_id, session_id }),

    async put({ _id, created_at, ...fields }) {
      await upsertWhere(rows, { _id, tenant_id: fields.tenant_id, status: 'pending' }, { $set: fields, $setOnInsert: { created_at } });
    },

    list: (tenant_id, session_id, status, page) =>
      rows.find(
        { session_id, tenant_id, ...(status && { status }), ...olderThan(page) },
        { sort: { created_at: -1, _id: -1 }, limit: page.limit },
      ),

    change: ({ _id, tenant_id, session_id, asked }, patch) =>
      rows.findOneAndUpdate(
        { _id, tenant_id, session_id, status: 'pending', ...(patch.asked && { asked: { $eq: asked } }) },
        { $set: withDue(patch) },
        AFTER,
      ),

    async remove(tenant_id, session_id, _id) {
      return (await rows.deleteOne({ _id, tenant_id, session_id, status: 'pending' })).deletedCount === 1;
    },

    async withdraw(tenant_id, _id) {
      return (await rows.deleteOne({ _id, tenant_id, status: 'pending' })).deletedCount === 1;
    },

    released: (tenant_id, _id) => rows.findOne({ _id, tenant_id, status: 'sending' }),

    due: (tenant_id, now, limit) => rows.find({ tenant_id, due_at: { $gte: 0, $lte: now } }, { sort: { due_at: 1 }, limit }).toArray(),

    async nextDue(tenant_id) {
      return (await rows.findOne({ tenant_id, due_at: { $gte: 0 } }, { sort: { due_at: 1 }, projection: { due_at: 1 } }))?.due_at ?? null;
    },

    ...overdueIn(rows),

    claim: (_id, message_id, now) =>
      rows.findOneAndUpdate({ _id, status: 'pending', due_at: { $gte: 0, $lte: now } }, { $set: { status: 'sending', message_id } }, AFTER),

    postpone: async (_id, due_at) => void (await rows.updateOne({ _id, due_at: { $gte: 0 } }, { $set: { due_at } })),
    handedOver: async (_id) => void (await rows.updateOne({ _id }, { $set: { due_at: null } })),

    async ended(_id, status, error) {
      return (await rows.updateOne({ _id, status: { $ne: status } }, { $set: { status, error, due_at: null } })).matchedCount === 1;
    },
  };
}

const withDue = (patch: ScheduledPatch): ScheduledPatch & { due_at?: number } => ({
  ...patch,
  ...(patch.scheduled_at !== undefined && { due_at: patch.scheduled_at }),
});
