import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** What goes by itself after some days. */
export const RETAINED = ['messages', 'media', 'webhooks', 'audit'] as const;
export type Retained = (typeof RETAINED)[number];

/** Days; 0: for ever. */
export type RetentionDays = Readonly<Record<Retained, number>>;

/** How long a tenant keeps what. Times are epoch ms. */
export interface RetentionRow {
  /** The tenant. */
  readonly _id: string;
  readonly days: RetentionDays;
  /** Shorter periods, which begin at `effective_at`; until then they can be taken back. */
  readonly pending: { readonly days: RetentionDays; readonly effective_at: number } | null;
  /** What disappearing messages said stays here when their timers end. */
  readonly keep_disappearing?: boolean;
  readonly last_run: { readonly at: number; readonly removed: Readonly<Record<Retained, number>> } | null;
  /** A run that is under way, or was when its process died. */
  readonly run?: RetentionRun | null;
  /** When it has to be looked at. Somebody who works on it sets it to when another one may. */
  readonly due_at: number;
  /** Counts its changes: each applies to the revision that was read, or not at all. */
  readonly rev: number;
}

/** What a run did, as far as it is known. */
export interface RetentionRun {
  /** It is the id of its entry in the audit log. */
  readonly id: string;
  /** Without the part that is removed just now. */
  readonly removed: Readonly<Record<Retained, number>>;
  readonly part: RetentionPart | null;
}

/** What is removed at once: who goes on after a process that died counts which of it is gone. */
export interface RetentionPart {
  readonly kind: Retained;
  readonly collection: string;
  readonly ids: readonly string[];
}

export const KEPT_FOR_EVER: RetentionDays = { messages: 0, media: 0, webhooks: 0, audit: 0 };

export interface Retention {
  find(tenantId: string): Promise<RetentionRow | null>;
  /** False: it changed since that revision (0: there was none). */
  save(tenantId: string, rev: number, row: Pick<RetentionRow, 'days' | 'pending' | 'due_at' | 'keep_disappearing'>): Promise<boolean>;
  /** Tenants that are due. */
  due(now: number): Promise<readonly string[]>;
  /** Every tenant is due, but those with a run that is under way, or was when its process died: they are when its time is over. */
  makeDue(now: number): Promise<void>;
  /** Takes it if it is due; null: it is not. */
  claim(tenantId: string, now: number, until: number): Promise<RetentionRow | null>;
  /** It is worked on until `until`. False: it is somebody else's by now, or its settings changed. */
  renew(row: RetentionRow, until: number): Promise<boolean>;
  /** Keeps how far the run is. False: it is somebody else's by now. */
  note(row: RetentionRow, run: RetentionRun): Promise<boolean>;
  /** The run is over: it is due again at `dueAt`. Where somebody else took it over, they end it. */
  ran(row: RetentionRow, lastRun: NonNullable<RetentionRow['last_run']>, dueAt: number): Promise<void>;
  /** The run was cut short: it is due again at `dueAt`. */
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
    // By the revision, too: periods that changed meanwhile are for another run to read.
    renew: async ({ _id, rev }, due_at) => (await rows.updateOne({ _id, rev }, { $set: { due_at } })).matchedCount === 1,
    note: async ({ _id, rev }, run) => (await rows.updateOne({ _id, rev }, { $set: { run } })).matchedCount === 1,
    ran: async ({ _id, rev }, last_run, dueAt) =>
      void (await rows.updateOne({ _id, rev }, { $set: { last_run, run: null, due_at: dueAt } })),
    release: async ({ _id, rev }, dueAt) => void (await rows.updateOne({ _id, rev }, { $set: { due_at: dueAt } })),
  };
}
