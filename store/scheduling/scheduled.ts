import type { MessageParts, MessageType } from '../messaging/messages.ts';
import type { Page } from '../paging/page.ts';
import { olderThan } from '../paging/page.ts';
import { insertPlacedOfMany, placesIndex } from '../patterns/places.ts';
import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';
import { type OverdueList, overdueIn, overdueIndex } from './overdue.ts';

export type ScheduledStatus = 'pending' | 'sending' | 'sent' | 'failed';

/** The message to send when it is due, with everything resolved. */
export interface ScheduledContent {
  /** Full address. */
  readonly to: string;
  readonly message_type: MessageType;
  readonly body: string | null;
  readonly parts: MessageParts;
  readonly media_r2_key: string | null;
  /** The network id of the quoted message. */
  readonly quotes: string | null;
  readonly priority: number;
}

/** A message for later. Times are epoch ms. */
export interface ScheduledRow extends ScheduledContent {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** As submitted. */
  readonly chat_id: string;
  /** The username by which its person was chosen: should the name be somebody else's when it is due, it is not sent. Null or absent: by none. */
  readonly username?: string | null;
  /** The request it was made of, so that a part of it can be changed. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly scheduled_at: number;
  readonly status: ScheduledStatus;
  /** Chosen when its time comes, before anything is sent, so that however often it is tried one message is stored. */
  readonly message_id: string | null;
  readonly error: string | null;
  /** When its tenant's actor has to see to it; null: it is with its device, or over. */
  readonly due_at: number | null;
  readonly created_at: number;
  /** It is sent only if the checkout that it reminds of is still open then; absent: it stands for itself. */
  /** The online store that it is about; absent: none, or an earlier version stored it. */
  readonly store?: string;
  readonly reminder?: { readonly link_id: string; readonly checkout_id: string };
}

export type ScheduledPatch = Partial<ScheduledContent & Pick<ScheduledRow, 'chat_id' | 'username' | 'asked' | 'scheduled_at'>>;

export interface Scheduled extends OverdueList {
  /** Stores it where fewer than `limit` were made like this and wait for their time on its device, however many are at once; false: it is full. */
  createWithin(row: ScheduledRow, limit: number): Promise<boolean>;
  /** Stores it; one with its id that is pending is moved and rewritten, one that left is not touched. Repeating it changes nothing. */
  put(row: ScheduledRow): Promise<void>;
  find(tenantId: string, sessionId: string, id: string): Promise<ScheduledRow | null>;
  /** Newest first. */
  list(tenantId: string, sessionId: string, status: ScheduledStatus | undefined, page: Page): AsyncIterable<ScheduledRow>;
  /** Gives the row as it is now; null: it is not pending any more, or is to be made of another request while it is not of the one that was read. */
  change(asRead: ScheduledRow, patch: ScheduledPatch): Promise<ScheduledRow | null>;
  /** false: it is not pending any more. */
  remove(tenantId: string, sessionId: string, id: string): Promise<boolean>;
  /** The same, whichever device it is on. */
  withdraw(tenantId: string, id: string): Promise<boolean>;
  /** One whose time has come and which has not ended; null: there is none. */
  released(tenantId: string, id: string): Promise<ScheduledRow | null>;

  /** Those whose time has come, and those whose release was interrupted. */
  due(tenantId: string, now: number, limit: number): Promise<ScheduledRow[]>;
  /** When the next one is due; null: none waits. */
  nextDue(tenantId: string): Promise<number | null>;
  /** `pending → sending` under `messageId`; null: it was changed or removed meanwhile. */
  claim(id: string, messageId: string, now: number): Promise<ScheduledRow | null>;
  /** It cannot be released before `until`. */
  postpone(id: string, until: number): Promise<void>;
  /** Its message is stored: the rest is up to its device. */
  handedOver(id: string): Promise<void>;
  /** It ended, perhaps otherwise than was thought before; true when that is new. */
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
      // Unless it left.
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
