import { olderThan, type Page } from '../paging/page.ts';
import { insertPlacedOfMany, type Placed, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

/** The erasure of one person. Times are epoch ms. */
export interface ErasureRow extends Placed {
  readonly _id: string;
  readonly tenant_id: string;
  /** Their number, sealed; absent: it is done, and the number is gone. */
  readonly subject?: string;
  /** Keyed hash of the number. */
  readonly phone_hash: string;
  /** There is something to do. */
  readonly open: boolean;
  /** Steps that are done. */
  readonly step: number;
  /** Somebody works on it until then, unless they died. */
  readonly claimed_until: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly created_at: number;
  readonly done_at: number | null;
  readonly proof: string | null;
}

export interface Erasures {
  /** Takes the place of one that is not begun: nobody works on it, and it is not listed. False: its tenant has `limit` open ones already. */
  prepare(row: ErasureRow, limit: number): Promise<boolean>;
  /** One that was prepared is worked on from now on. False: it is not there any more. */
  begin(row: ErasureRow): Promise<boolean>;
  /** One that was prepared is not begun. */
  discard(row: ErasureRow): Promise<void>;
  find(tenantId: string, id: string): Promise<ErasureRow | null>;
  list(tenantId: string, page: Page): AsyncIterable<ErasureRow>;
  countOpen(tenantId: string, limit: number): Promise<number>;
  /** Tenants with one that nobody works on. */
  waiting(now: number): Promise<readonly string[]>;
  /** Takes the tenant's oldest that nobody works on; null: there is none. */
  claim(tenantId: string, now: number, until: number): Promise<ErasureRow | null>;
  /** Holds it longer. False: it is somebody else's by now. */
  renew(row: ErasureRow, claimedUntil: number): Promise<boolean>;
  /**
   * Notes that a step is done; it is to be claimed for the next one. Also by who took longer than their claim: a step that takes so long would never
   * be done by anybody. Null: it was noted already.
   */
  advance(row: ErasureRow, counts: ErasureRow['counts'], now: number): Promise<ErasureRow | null>;
  /** Nobody works on it, before `from` either. `counts`: with what a part of its step did. */
  release(row: ErasureRow, from: number, counts?: ErasureRow['counts']): Promise<void>;
  finish(row: ErasureRow, doneAt: number, proof: string): Promise<void>;
}

const OPEN = { open: true } as const;

export const erasuresSpec: CollectionSpec = {
  name: 'privacy_erasures',
  indexes: [
    placesIndex(OPEN),
    { name: 'newest', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'open', keys: { claimed_until: 1 }, where: { open: true } },
    { name: 'oldest_open_of_tenant', keys: { tenant_id: 1, created_at: 1 }, where: { open: true } },
  ],
  retired: ['open_of_tenant'],
};

const MAX_WAITING = 10_000;
/** In place of `claimed_until`: it is not begun. */
const NOT_BEGUN = Number.MAX_SAFE_INTEGER;
const BEGUN = { claimed_until: { $lt: NOT_BEGUN } } as const;
/** Whoever prepared one begins it sooner, or died. */
const PREPARED_MS = 60_000;

export function erasuresIn(store: Store): Erasures {
  const rows: Collection<ErasureRow> = store.collection<ErasureRow>(erasuresSpec);

  return {
    async prepare(row, limit) {
      const { tenant_id, created_at } = row;
      await rows.deleteMany({ tenant_id, open: true, claimed_until: NOT_BEGUN, created_at: { $lt: created_at - PREPARED_MS } });
      return insertPlacedOfMany(rows, { ...row, claimed_until: NOT_BEGUN }, limit, OPEN, 'tenant_id');
    },
    begin: async ({ _id }) => (await rows.updateOne({ _id, claimed_until: NOT_BEGUN }, { $set: { claimed_until: 0 } })).matchedCount === 1,
    discard: async ({ _id }) => void (await rows.deleteOne({ _id, claimed_until: NOT_BEGUN })),
    find: (tenant_id, _id) => rows.findOne({ _id, tenant_id, ...BEGUN }),
    list: (tenant_id, page) =>
      rows.find({ tenant_id, ...BEGUN, ...olderThan(page) }, { sort: { created_at: -1, _id: -1 }, limit: page.limit }),
    countOpen: (tenant_id, limit) => rows.countDocuments({ tenant_id, open: true, ...BEGUN }, { limit }),
    async waiting(now) {
      const open = await rows
        .find({ open: true, claimed_until: { $lte: now } }, { projection: { tenant_id: 1 }, limit: MAX_WAITING })
        .toArray();
      return [...new Set(open.map(({ tenant_id }) => tenant_id))];
    },
    claim: (tenant_id, now, claimed_until) =>
      rows.findOneAndUpdate(
        { tenant_id, open: true, claimed_until: { $lte: now } },
        { $set: { claimed_until } },
        { sort: { created_at: 1 }, returnDocument: 'after' },
      ),
    renew: async ({ _id, claimed_until: before }, claimed_until) =>
      (await rows.updateOne({ _id, claimed_until: before, open: true }, { $set: { claimed_until } })).matchedCount === 1,
    advance: ({ _id, step }, counts, now) =>
      rows.findOneAndUpdate(
        { _id, step, open: true },
        { $set: { counts, step: step + 1, claimed_until: now } },
        { returnDocument: 'after' },
      ),
    release: async ({ _id, claimed_until, counts: before }, from, counts = before) =>
      void (await rows.updateOne({ _id, claimed_until, open: true }, { $set: { counts, claimed_until: from } })),
    finish: async ({ _id, claimed_until }, done_at, proof) =>
      void (await rows.updateOne({ _id, claimed_until, open: true }, { $set: { open: false, done_at, proof }, $unset: { subject: 1 } })),
  };
}
