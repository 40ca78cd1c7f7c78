import type { Released } from '../../tenant/protocol.ts';
import type { ReleaseDeps } from './accept-once.ts';
import { runRecurring } from './run-recurring.ts';
import { sendScheduled } from './send-scheduled.ts';

const BATCH_SIZE = 100;
const SUSPENDED_PAUSE_MS = 10 * 60_000;

/** IDs stay the same after an interruption, so each due message is sent once. */
export async function releaseDue(deps: ReleaseDeps, tenantId: string): Promise<Released> {
  const { scheduled, recurring, tenants, clock } = deps;
  const now = clock.now();
  const [tenant, rows, runs] = await Promise.all([
    tenants.find(tenantId),
    scheduled.due(tenantId, now, BATCH_SIZE),
    recurring.due(tenantId, now, BATCH_SIZE),
  ]);
  if (tenant?.suspended) {
    const nextAt = await nextDue(deps, tenantId);
    return { more: false, nextAt: nextAt === null ? null : Math.max(nextAt, now + SUSPENDED_PAUSE_MS) };
  }
  await Promise.all(rows.map((row) => sendScheduled(deps, row, now)));
  for (const row of runs) await runRecurring(deps, row, now);
  return { more: rows.length === BATCH_SIZE || runs.length === BATCH_SIZE, nextAt: await nextDue(deps, tenantId) };
}

async function nextDue({ scheduled, recurring }: ReleaseDeps, tenantId: string): Promise<number | null> {
  const times = (await Promise.all([scheduled.nextDue(tenantId), recurring.nextDue(tenantId)])).filter((at) => at !== null);
  return times.length > 0 ? Math.min(...times) : null;
}
