import type { Collection, CollectionSpec, Store } from './collection.ts';
import type { MessageParts, MessageType, Page } from './messages.ts';

export type ScheduledStatus = 'pending' | 'sending' | 'sent' | 'failed';

/** What is sent when its time has come, with everything resolved. */
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

/** A message for later (spec.md SessionScheduledMessage). Times are epoch ms. */
export interface ScheduledRow extends ScheduledContent {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** As submitted. */
  readonly chat_id: string;
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
}

export type ScheduledPatch = Partial<ScheduledContent & Pick<ScheduledRow, 'chat_id' | 'asked' | 'scheduled_at'>>;

export interface Scheduled {
  create(row: ScheduledRow): Promise<void>;
  find(tenantId: string, sessionId: string, id: string): Promise<ScheduledRow | null>;
  /** Newest first. */
  list(tenantId: string, sessionId: string, status: ScheduledStatus | undefined, page: Page): Promise<ScheduledRow[]>;
  /** How many wait for their time, counted up to `most`. */
  pending(tenantId: string, sessionId: string, most: number): Promise<number>;
  /** Gives the row as it is now; null: it is not pending any more. */
  change(tenantId: string, sessionId: string, id: string, patch: ScheduledPatch): Promise<ScheduledRow | null>;
  /** false: it is not pending any more. */
  remove(tenantId: string, sessionId: string, id: string): Promise<boolean>;

  /** Those whose time has come, and those whose release was interrupted. */
  due(tenantId: string, now: number, limit: number): Promise<ScheduledRow[]>;
  /** When the next one is due; null: none waits. */
  nextDue(tenantId: string): Promise<number | null>;
  /** `pending → sending` under `messageId`; null: it was changed or removed meanwhile. */
  claim(id: string, messageId: string, now: number): Promise<ScheduledRow | null>;
  /** It cannot be released before `until`. */
  postpone(id: string, until: number): Promise<void>;
  /** Its message is stored: what follows is its device's. */
  handedOver(id: string): Promise<void>;
  /** It ended, perhaps otherwise than was thought before; true when that is new. */
  ended(id: string, status: 'sent' | 'failed', error: string | null): Promise<boolean>;
}

const spec: CollectionSpec = {
  name: 'scheduled',
  indexes: [
    { name: 'newest', keys: { session_id: 1, created_at: -1, _id: -1 } },
    { name: 'by_status', keys: { session_id: 1, status: 1, created_at: -1, _id: -1 } },
    { name: 'due', keys: { tenant_id: 1, due_at: 1 }, where: { due_at: { $gte: 0 } } },
  ],
};

const AFTER = { returnDocument: 'after' } as const;

export function scheduledIn(store: Store): Scheduled {
  const rows: Collection<ScheduledRow> = store.collection<ScheduledRow>(spec);

  return {
    create: async (row) => void (await rows.insertOne(row)),
    find: (tenant_id, session_id, _id) => rows.findOne({ _id, tenant_id, session_id }),

    list: (tenant_id, session_id, status, page) =>
      rows
        .find(
          { session_id, tenant_id, ...(status && { status }), ...olderThan(page) },
          { sort: { created_at: -1, _id: -1 }, limit: page.limit },
        )
        .toArray(),

    pending: (tenant_id, session_id, most) => rows.countDocuments({ session_id, tenant_id, status: 'pending' }, { limit: most }),

    change: (tenant_id, session_id, _id, patch) =>
      rows.findOneAndUpdate({ _id, tenant_id, session_id, status: 'pending' }, { $set: withDue(patch) }, AFTER),

    async remove(tenant_id, session_id, _id) {
      return (await rows.deleteOne({ _id, tenant_id, session_id, status: 'pending' })).deletedCount === 1;
    },

    due: (tenant_id, now, limit) => rows.find({ tenant_id, due_at: { $gte: 0, $lte: now } }, { sort: { due_at: 1 }, limit }).toArray(),

    async nextDue(tenant_id) {
      return (await rows.findOne({ tenant_id, due_at: { $gte: 0 } }, { sort: { due_at: 1 }, projection: { due_at: 1 } }))?.due_at ?? null;
    },

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

function olderThan({ before, beforeId }: Page) {
  if (before === null) return {};
  const older = { created_at: { $lt: before } };
  return beforeId === null ? older : { $or: [older, { created_at: before, _id: { $lt: beforeId } }] };
}
