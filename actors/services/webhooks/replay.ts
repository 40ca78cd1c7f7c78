import { fairSlices } from '../../../runtime/fair-slices.ts';
import { at } from '../../../runtime/invariant.ts';
import type { Deliveries, DeliveryRow } from '../../../store/webhooks/deliveries.ts';
import type { WebhookRow } from '../../../store/webhooks/webhooks.ts';
import { KEPT_MS } from './new-delivery.ts';
import { isLastAttempt } from './retry-schedule.ts';

const REPLAYED_TOGETHER = 100;

/**
 * Every delivery of a webhook made since `since` (epoch ms) whose last attempt failed gets another one now, those that wait for a retry too; gives
 * how many. In slices: others have their turn in between. What is due already is counted, and left as it is unless it may be failing for the last
 * time.
 */
export async function replaySince(
  deliveries: Pick<Deliveries, 'unhappy' | 'again'>,
  { _id, tenant_id }: Pick<WebhookRow, '_id' | 'tenant_id'>,
  since: number,
  now: number,
): Promise<number> {
  const again = async (row: DeliveryRow): Promise<boolean> => isDue(row, now) || (await deliveries.again(row, now, now + KEPT_MS)) !== null;
  const replay = async (after: string): Promise<readonly [rows: readonly DeliveryRow[], count: number]> => {
    const rows = await deliveries.unhappy(tenant_id, _id, since, after, REPLAYED_TOGETHER);
    const replayed = await Promise.all(rows.map(again));
    return [rows, replayed.filter(Boolean).length];
  };
  let count = 0;
  for (let after = ''; ; ) {
    const from = after;
    const [rows, replayed] = await fairSlices.run(tenant_id, () => replay(from));
    count += replayed;
    if (rows.length < REPLAYED_TOGETHER) return count;
    after = at(rows, -1)._id;
  }
}

const isDue = (row: DeliveryRow, now: number): boolean =>
  row.status === 'pending' && (row.next_attempt_at ?? 0) <= now && !isLastAttempt(row);
