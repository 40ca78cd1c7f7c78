import type { Collection, Doc, Filter, IndexSpec } from '../port.ts';

export interface Overdue extends Doc {
  readonly tenant_id: string;
  readonly due_at: number;
}

export interface OverdueList {
  /** Returns the entries that have been overdue longest first. `after` is null to start at the beginning. */
  overdue(before: number, after: Overdue | null, limit: number): Promise<readonly Overdue[]>;
}

export const overdueIndex: IndexSpec = { name: 'overdue', keys: { due_at: 1, _id: 1 }, where: { due_at: { $gte: 0 } } };

interface Planned extends Doc {
  readonly tenant_id: string;
  readonly due_at: number | null;
}

export const overdueIn = (rows: Collection<Planned>): OverdueList => ({
  async overdue(before, after, limit) {
    const behind: Filter = after ? { $or: [{ due_at: { $gt: after.due_at } }, { _id: { $gt: after._id } }] } : {};
    const found = await rows
      .find(
        { due_at: { $gte: after?.due_at ?? 0, $lte: before }, ...behind },
        { sort: { due_at: 1, _id: 1 }, limit, projection: { tenant_id: 1, due_at: 1 } },
      )
      .toArray();
    return found.flatMap(({ _id, tenant_id, due_at }) => (due_at === null ? [] : [{ _id, tenant_id, due_at }]));
  },
});
