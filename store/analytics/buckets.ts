import { fairSlices } from '../../runtime/fair-slices.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import { BUCKET_MS, type BucketFigures, type BucketRow } from './bucket-row.ts';

export interface BucketKey {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly at: number;
}

/** When a message changes, its bucket is marked and later recounted. */
export interface Buckets {
  mark(keys: readonly BucketKey[], now: number): Promise<void>;
  due(now: number, leaseMs: number): Promise<BucketRow | null>;
  dirtyOf(tenantId: string, countedBefore: number, limit: number): Promise<readonly BucketRow[]>;
  /**
   * Stores the figures unless newer ones exist. With null, the old figures are kept. A bucket that
   * has changed in the meantime stays due.
   */
  counted(row: BucketRow, figures: BucketFigures | null, now: number): Promise<void>;
  between(tenantId: string, since: number, until: number): AsyncIterable<BucketRow>;
}

/** Covers two periods of 90 days, and a year for comparison. */
const KEPT_MS = 400 * 86_400_000;
const PAGE_SIZE = 250;

const spec: CollectionSpec = {
  name: 'analytics_buckets',
  indexes: [
    { name: 'by_time', keys: { tenant_id: 1, at: 1 } },
    { name: 'due', keys: { dirty_at: 1 }, where: { dirty_at: { $gte: 0 } } },
    { name: 'dirty', keys: { tenant_id: 1, dirty_at: 1 }, where: { dirty_at: { $gte: 0 } } },
  ],
  expires: 'expires_at',
};

export function bucketsIn(store: Store): Buckets {
  const buckets: Collection<BucketRow> = store.collection<BucketRow>(spec);

  async function markOne({ tenantId, sessionId, at }: BucketKey, now: number): Promise<void> {
    const _id = `${sessionId}:${at / BUCKET_MS}`;
    const change = { $inc: { mark: 1 }, $set: { dirty_at: now } };
    const first = { tenant_id: tenantId, session_id: sessionId, at, counted: 0, counted_at: null, figures: null, expires_at: at + KEPT_MS };
    try {
      await buckets.updateOne({ _id }, { ...change, $setOnInsert: first }, { upsert: true });
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      await buckets.updateOne({ _id }, change);
    }
  }

  return {
    mark: async (keys, now) => void (await Promise.all(keys.map((key) => markOne(key, now)))),

    due: (now, leaseMs) =>
      buckets.findOneAndUpdate(
        { dirty_at: { $gte: 0, $lte: now } },
        { $set: { dirty_at: now + leaseMs } },
        { sort: { dirty_at: 1 }, returnDocument: 'after' },
      ),

    async dirtyOf(tenant_id, countedBefore, limit) {
      const found = await buckets.find({ tenant_id, dirty_at: { $gte: 0 } }, { sort: { dirty_at: 1 }, limit }).toArray();
      return found.filter(({ counted_at }) => counted_at === null || counted_at <= countedBefore);
    },

    async counted({ _id, mark }, figures, now) {
      if (figures) {
        const update = { $set: { figures, counted: mark, counted_at: now } };
        await buckets.updateOne({ _id, counted: { $lt: mark } }, update);
      }
      await buckets.updateOne({ _id, mark }, { $set: { dirty_at: null } });
    },

    async *between(tenant_id, since, until) {
      let page: readonly BucketRow[] = [];
      for (let isMore = true; isMore; ) {
        const from = page.at(-1)?.at ?? since;
        // Devices' buckets share start times, so a page may begin with buckets already returned.
        const given = new Set(page.filter(({ at }) => at === from).map(({ _id }) => _id));
        const filter = { tenant_id, at: { $gte: from, $lt: until } };
        const limit = given.size + PAGE_SIZE;
        page = await fairSlices.run(tenant_id, () => buckets.find(filter, { sort: { at: 1 }, limit }).toArray());
        yield* page.filter(({ _id }) => !given.has(_id));
        isMore = page.length === limit;
      }
    },
  };
}
