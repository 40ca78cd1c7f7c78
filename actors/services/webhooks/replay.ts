import { at } from '../../../runtime/invariant.ts';
import type { Deliveries } from '../../../store/webhooks/deliveries.ts';
import type { WebhookRow } from '../../../store/webhooks/webhooks.ts';
import { KEPT_MS } from './new-delivery.ts';

const REPLAYED_TOGETHER = 100;

/**
 * Every delivery of a webhook made since `since` (epoch ms) whose last attempt failed gets another one now, those that wait for a retry too; gives
 * how many. In slices: others have their turn in between.
 */
export async function replaySince(
  deliveries: Pick<Deliveries, 'unhappy' | 'again'>,
  { _id, tenant_id }: Pick<WebhookRow, '_id' | 'tenant_id'>,
  since: number,
  now: number,
): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await deliveries.unhappy(tenant_id, _id, since, after, REPLAYED_TOGETHER);
    const again = await Promise.all(rows.map((row) => deliveries.again(row, now, now + KEPT_MS)));
    count += again.filter((row) => row !== null).length;
    if (rows.length < REPLAYED_TOGETHER) return count;
    after = at(rows, -1)._id;
  }
}
