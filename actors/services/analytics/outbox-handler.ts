import { bucketAt } from '../../../store/analytics/bucket-row.ts';
import type { BucketKey, Buckets } from '../../../store/analytics/buckets.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';

/** A recount reads the messages themselves, so marking a bucket twice does no harm. */
export function markBuckets(buckets: Pick<Buckets, 'mark'>, now: () => number): OutboxHandler {
  return {
    name: 'analytics',
    plan(rows) {
      const keys = new Map<string, BucketKey>();
      for (const { tenant_id: tenantId, session_id: sessionId, created_at } of rows) {
        const at = bucketAt(created_at);
        keys.set(`${sessionId} ${at}`, { tenantId, sessionId, at });
      }
      return { writes: [() => buckets.mark([...keys.values()], now())] };
    },
  };
}
