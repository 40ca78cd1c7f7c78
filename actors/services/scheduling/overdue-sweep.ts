import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Overdue, OverdueList } from '../../../store/scheduling/overdue.ts';

export interface OverdueSweepDeps {
  readonly scheduled: OverdueList;
  readonly recurring: OverdueList;
  readonly snoozes: OverdueList;
  readonly olderRequests: OverdueList;
  readonly tenants: Pick<Tenants, 'activeOf'>;
  /** Lets this tenant's actor send what is due. */
  wake(tenantId: string, now: number): Promise<void>;
}

/** A send is left to its tenant's actor for so long. */
const OVERDUE_AFTER_MS = 60_000;
/** Read by one pass of each list; the next one goes on behind them. */
const MAX_ROWS = 1_000;

/**
 * Gives a sweep, for any node, that wakes tenants with overdue sends: the process that stored one may have died before the tenant's actor learned of
 * it. Suspended tenants are not woken; their rows delay those behind them by a few passes at most.
 */
export function createOverdueSweep({ tenants, wake, ...due }: OverdueSweepDeps): (now: number) => Promise<void> {
  const lists = [due.scheduled, due.recurring, due.snoozes, due.olderRequests].map(pageByPage);
  return async (now) => {
    const owners = await Promise.all(lists.map((next) => next(now - OVERDUE_AFTER_MS)));
    for (const tenantId of await tenants.activeOf([...new Set(owners.flat())])) await wake(tenantId, now);
  };
}

/** Each call gives the tenants of the next page of the list; after the last page it begins again. */
function pageByPage(list: OverdueList): (before: number) => Promise<readonly string[]> {
  let after: Overdue | null = null;
  return async (before) => {
    const rows = await list.overdue(before, after, MAX_ROWS);
    after = rows.length === MAX_ROWS ? (rows.at(-1) ?? null) : null;
    return rows.map(({ tenant_id }) => tenant_id);
  };
}
