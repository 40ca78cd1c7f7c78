import type { ReleasePorts } from './handing.ts';
import { runRecurring } from './run-recurring.ts';
import { sendScheduled } from './send-scheduled.ts';

export interface Released {
  /** More is due already. */
  readonly more: boolean;
  /** When the next is; null: nothing waits. */
  readonly nextAt: number | null;
}

const AT_ONCE = 100;

/**
 * Sends what a tenant's time has come for. Whatever was interrupted is taken up again under the ids that were chosen before, so that it is
 * sent once however often this is repeated, by however many owners.
 */
export async function releaseDue(ports: ReleasePorts, tenantId: string): Promise<Released> {
  const { scheduled, recurring, clock } = ports;
  const now = clock.now();
  const [rows, runs] = await Promise.all([scheduled.due(tenantId, now, AT_ONCE), recurring.due(tenantId, now, AT_ONCE)]);
  await Promise.all(rows.map((row) => sendScheduled(ports, row, now)));
  for (const row of runs) await runRecurring(ports, row, now);
  const next = await Promise.all([scheduled.nextDue(tenantId), recurring.nextDue(tenantId)]);
  const times = next.filter((at) => at !== null);
  return { more: rows.length === AT_ONCE || runs.length === AT_ONCE, nextAt: times.length > 0 ? Math.min(...times) : null };
}
