import { fairSlices } from '../../../runtime/fair-slices.ts';
import { at } from '../../../runtime/invariant.ts';
import type { Deliveries, DeliverySummary } from '../../../store/webhooks/deliveries.ts';
import type { WebhookRow } from '../../../store/webhooks/webhooks.ts';
import { KEPT_MS } from './new-delivery.ts';
import { isLastAttempt } from './retry-schedule.ts';

const REPLAYED_TOGETHER = 25;

/** Skips due deliveries, except before their last attempt. Calls `wake` early in case of a crash. */
export async function replaySince(
  deliveries: Pick<Deliveries, 'unhappy' | 'again'>,
  { _id, tenant_id }: Pick<WebhookRow, '_id' | 'tenant_id'>,
  { since, now, wake }: { readonly since: number; readonly now: number; wake(): Promise<void> },
): Promise<number> {
  const again = async (row: DeliverySummary): Promise<boolean> => isDue(row, now) || deliveries.again(row, now, now + KEPT_MS);
  const replay = async (after: string): Promise<readonly [rows: readonly DeliverySummary[], count: number]> => {
    const rows = await deliveries.unhappy(tenant_id, _id, since, after, REPLAYED_TOGETHER);
    const replayed = rows.length === 0 ? [] : (await Promise.all([wake(), ...rows.map(again)])).filter(Boolean);
    return [rows, replayed.length];
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

const isDue = (row: DeliverySummary, now: number): boolean =>
  row.status === 'pending' && (row.next_attempt_at ?? 0) <= now && !isLastAttempt(row);
