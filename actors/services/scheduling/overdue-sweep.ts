import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Overdue, OverdueList } from '../../../store/scheduling/overdue.ts';

export interface OverdueSweepDeps {
  readonly scheduled: OverdueList;
  readonly recurring: OverdueList;
  readonly tenants: Pick<Tenants, 'activeOf'>;
  /** Lets this tenant's actor send what is due. */
  wake(tenantId: string, now: number): Promise<void>;
}

/** Until then its tenant's actor is busy with it. */
const OVERSLEPT_MS = 60_000;
/** Read by one pass of each list; the next one goes on behind them. */
const MAX_ROWS = 1_000;

/**
 * Gives a pass that wakes tenants whose sends for later are overdue, for a sweep on any node: who stored one may have died before its tenant's actor
 * learned of it. What a suspended tenant planned stays due and wakes nobody, and hides nothing that is behind it for more than some passes.
 */
export function createOverdueSweep({ scheduled, recurring, tenants, wake }: OverdueSweepDeps): (now: number) => Promise<void> {
  const lists = [inTurns(scheduled), inTurns(recurring)];
  return async (now) => {
    const owners = await Promise.all(lists.map((next) => next(now - OVERSLEPT_MS)));
    for (const tenantId of await tenants.activeOf([...new Set(owners.flat())])) await wake(tenantId, now);
  };
}

/** Gives whose the rows of a part of the list are; each call reads the part behind the one before, and after the last part the first. */
function inTurns(list: OverdueList): (before: number) => Promise<readonly string[]> {
  let after: Overdue | null = null;
  return async (before) => {
    const rows = await list.overdue(before, after, MAX_ROWS);
    after = rows.length === MAX_ROWS ? (rows.at(-1) ?? null) : null;
    return rows.map(({ tenant_id }) => tenant_id);
  };
}
