import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Overdue, OverdueList } from '../../../store/scheduling/overdue.ts';

export interface OverdueSweepDeps {
  readonly scheduled: OverdueList;
  readonly recurring: OverdueList;
  readonly snoozes: OverdueList;
  readonly olderRequests: OverdueList;
  readonly tenants: Pick<Tenants, 'activeOf'>;
  wake(tenantId: string, now: number): Promise<void>;
}

const OVERDUE_AFTER_MS = 60_000;
const MAX_ROWS = 1_000;

/** Wakes tenants with overdue work, whose process may have died before it woke them. */
export function createOverdueSweep({ tenants, wake, ...due }: OverdueSweepDeps): (now: number) => Promise<void> {
  const lists = [due.scheduled, due.recurring, due.snoozes, due.olderRequests].map(pageByPage);
  return async (now) => {
    const owners = await Promise.all(lists.map((next) => next(now - OVERDUE_AFTER_MS)));
    for (const tenantId of await tenants.activeOf([...new Set(owners.flat())])) await wake(tenantId, now);
  };
}

function pageByPage(list: OverdueList): (before: number) => Promise<readonly string[]> {
  let after: Overdue | null = null;
  return async (before) => {
    const rows = await list.overdue(before, after, MAX_ROWS);
    after = rows.length === MAX_ROWS ? (rows.at(-1) ?? null) : null;
    return rows.map(({ tenant_id }) => tenant_id);
  };
}
