import type { Released } from '../../tenant/protocol.ts';
import type { ReleaseDeps } from './accept-once.ts';
import { runRecurring } from './run-recurring.ts';
import { sendScheduled } from './send-scheduled.ts';

const BATCH_SIZE = 100;

/**
 * Sends what a tenant's time has come for. Whatever was interrupted is taken up again under the ids that were chosen before, so that it is
 * sent once however often this is repeated, by however many owners.
 */
export async function releaseDue(deps: ReleaseDeps, tenantId: string): Promise<Released> {
  const { scheduled, recurring, clock } = deps;
  const now = clock.now();
  const [rows, runs] = await Promise.all([scheduled.due(tenantId, now, BATCH_SIZE), recurring.due(tenantId, now, BATCH_SIZE)]);
  await Promise.all(rows.map((row) => sendScheduled(deps, row, now)));
  for (const row of runs) await runRecurring(deps, row, now);
  const next = await Promise.all([scheduled.nextDue(tenantId), recurring.nextDue(tenantId)]);
  const times = next.filter((at) => at !== null);
  return { more: rows.length === BATCH_SIZE || runs.length === BATCH_SIZE, nextAt: times.length > 0 ? Math.min(...times) : null };
}
