import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

/** Counts attempts before they start, so that a file that crashes its reader is not retried forever. */
export interface ReadingAttempts {
  /** Returns null if the attempt may start, otherwise the time of the next one (epoch ms). */
  begin(tenantId: string, sha256: string, now: number): Promise<number | null>;
  end(tenantId: string, sha256: string): Promise<void>;
  /** Cancels the count of an attempt that the node itself interrupted, for example because it stopped. */
  takeBack(tenantId: string, sha256: string): Promise<void>;
}

interface AttemptsRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly count: number;
  readonly until: number;
}

const MAX_STOPS = 2;
const REMEMBERED_MS = 3_600_000;

const spec: CollectionSpec = { name: 'ai_reading_attempts', indexes: [], expires: 'until' };

export function readingAttemptsIn(store: Store): ReadingAttempts {
  const attempts: Collection<AttemptsRow> = store.collection<AttemptsRow>(spec);
  const idOf = (tenantId: string, sha256: string): string => `${tenantId}:${sha256}`;

  return {
    async begin(tenant_id, sha256, now) {
      const _id = idOf(tenant_id, sha256);
      const until = now + REMEMBERED_MS;
      for (;;) {
        const again = { _id, until: { $gt: now }, count: { $lt: MAX_STOPS } };
        if ((await attempts.updateOne(again, { $inc: { count: 1 }, $set: { until } })).matchedCount === 1) return null;
        const row = await attempts.findOne({ _id });
        if (row && row.until > now) {
          if (row.count >= MAX_STOPS) return row.until;
          continue;
        }
        if (await upsertWhere(attempts, { _id, until: { $lte: now } }, { $set: { count: 1, until }, $setOnInsert: { tenant_id } }))
          return null;
      }
    },
    end: async (tenantId, sha256) => void (await attempts.deleteOne({ _id: idOf(tenantId, sha256) })),
    takeBack: async (tenantId, sha256) =>
      void (await attempts.updateOne({ _id: idOf(tenantId, sha256), count: { $gt: 0 } }, { $inc: { count: -1 } })),
  };
}
