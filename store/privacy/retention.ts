import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export const RETAINED = ['messages', 'media', 'webhooks', 'audit'] as const;
export type Retained = (typeof RETAINED)[number];

/** Retention periods in days; 0 keeps the data forever. */
export type RetentionDays = Readonly<Record<Retained, number>>;

export interface RetentionRow {
  readonly _id: string;
  readonly days: RetentionDays;
  /** Shorter periods that apply from `effective_at` on. They can be withdrawn until then. */
  readonly pending: { readonly days: RetentionDays; readonly effective_at: number } | null;
  readonly keep_disappearing?: boolean;
  readonly last_run: { readonly at: number; readonly removed: Readonly<Record<Retained, number>> } | null;
  readonly run?: RetentionRun | null;
  readonly due_at: number;
  readonly rev: number;
}

export interface RetentionRun {
  readonly id: string;
  readonly removed: Readonly<Record<Retained, number>>;
  readonly part: RetentionPart | null;
}

/** Records that are removed together. After a crash, a part's missing records are counted as removed. */
export interface RetentionPart {
  readonly kind: Retained;
  readonly collection: string;
  readonly ids: readonly string[];
}

export const KEPT_FOR_EVER: RetentionDays = { messages: 0, media: 0, webhooks: 0, audit: 0 };

export interface Retention {
  find(tenantId: string): Promise<RetentionRow | null>;
  save(tenantId: string, rev: number, row: Pick<RetentionRow, 'days' | 'pending' | 'due_at' | 'keep_disappearing'>): Promise<boolean>;
  due(now: number): Promise<readonly string[]>;
  /** Skips tenants whose run is unfinished. They become due when that run's claim expires. */
  makeDue(now: number): Promise<void>;
  claim(tenantId: string, now: number, until: number): Promise<RetentionRow | null>;
  renew(row: RetentionRow, until: number): Promise<boolean>;
  note(row: RetentionRow, run: RetentionRun): Promise<boolean>;
  ran(row: RetentionRow, lastRun: NonNullable<RetentionRow['last_run']>, dueAt: number): Promise<void>;
  release(row: RetentionRow, dueAt: number): Promise<void>;
}

const spec: CollectionSpec = { name: 'privacy_retention', indexes: [{ name: 'due', keys: { due_at: 1 } }] };
const MAX_DUE = 10_000;

export function retentionIn(store: Store): Retention {
  const rows: Collection<RetentionRow> = store.collection<RetentionRow>(spec);
  const ids = async (found: Promise<RetentionRow[]>): Promise<readonly string[]> => (await found).map(({ _id }) => _id);

  return {
    find: (_id) => rows.findOne({ _id }),
    async save(_id, rev, fields) {
      if (rev > 0) return (await rows.updateOne({ _id, rev }, { $set: { ...fields, rev: rev + 1 } })).matchedCount === 1;
      try {
        await rows.insertOne({ _id, ...fields, last_run: null, rev: 1 });
        return true;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return false;
      }
    },
    due: (now) => ids(rows.find({ due_at: { $lte: now } }, { projection: { _id: 1 }, limit: MAX_DUE }).toArray()),
    makeDue: async (now) => void (await rows.updateMany({ due_at: { $gt: now }, run: null }, { $set: { due_at: now } })),
    claim: (_id, now, until) =>
      rows.findOneAndUpdate({ _id, due_at: { $lte: now } }, { $set: { due_at: until }, $inc: { rev: 1 } }, { returnDocument: 'after' }),
    // Also matches the revision, so that changed periods are left to another run.
    renew: async ({ _id, rev }, due_at) => (await rows.updateOne({ _id, rev }, { $set: { due_at } })).matchedCount === 1,
    note: async ({ _id, rev }, run) => (await rows.updateOne({ _id, rev }, { $set: { run } })).matchedCount === 1,
    ran: async ({ _id, rev }, last_run, dueAt) =>
      void (await rows.updateOne({ _id, rev }, { $set: { last_run, run: null, due_at: dueAt } })),
    release: async ({ _id, rev }, dueAt) => void (await rows.updateOne({ _id, rev }, { $set: { due_at: dueAt } })),
  };
}
