import { olderThan, type Page } from '../paging/page.ts';
import { insertPlacedOfMany, type Placed, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface ErasureRow extends Placed {
  readonly _id: string;
  readonly tenant_id: string;
  readonly subject?: string;
  readonly phone_hash: string;
  /** Keyed hashes of all the person's addresses. If absent, only `phone_hash` is known. */
  readonly hashes?: readonly string[];
  readonly open: boolean;
  readonly step: number;
  readonly claimed_until: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly created_at: number;
  readonly done_at: number | null;
  readonly proof: string | null;
}

/** Each completed step is recorded, so that another worker continues after a crash. */
export interface Erasures {
  /** Reserves an erasure without claiming or listing it. Returns false if `limit` erasures are open. */
  prepare(row: ErasureRow, limit: number): Promise<boolean>;
  begin(row: ErasureRow): Promise<boolean>;
  discard(row: ErasureRow): Promise<void>;
  find(tenantId: string, id: string): Promise<ErasureRow | null>;
  list(tenantId: string, page: Page): AsyncIterable<ErasureRow>;
  since(tenantId: string, at: number): AsyncIterable<Pick<ErasureRow, '_id' | 'phone_hash' | 'hashes' | 'created_at' | 'open' | 'step'>>;
  countOpen(tenantId: string, limit: number): Promise<number>;
  waiting(now: number): Promise<readonly string[]>;
  claim(tenantId: string, now: number, until: number): Promise<ErasureRow | null>;
  renew(row: ErasureRow, claimedUntil: number): Promise<boolean>;
  /** Also works after the claim has expired. Otherwise a long step would never complete. */
  advance(row: ErasureRow, counts: ErasureRow['counts'], now: number): Promise<ErasureRow | null>;
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
const NOT_BEGUN = Number.MAX_SAFE_INTEGER;
const BEGUN = { claimed_until: { $lt: NOT_BEGUN } } as const;
/** A prepared erasure older than this was abandoned by a process that crashed. */
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
    since: (tenant_id, at) =>
      rows.find(
        { tenant_id, created_at: { $gte: at }, ...BEGUN },
        { projection: { phone_hash: 1, hashes: 1, created_at: 1, open: 1, step: 1 } },
      ),
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
