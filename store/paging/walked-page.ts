import { fairSlices } from '../../runtime/fair-slices.ts';
import type { Page } from './page.ts';

/** A list that is read for what its index does not know, so that all of it may have to be looked at. */
export interface Walk<T> {
  /** Whose list it is: those who read long lists have turns. */
  readonly owner: string;
  readonly page: Page;
  /** Nothing older is asked for, epoch ms; null: all. */
  readonly since: number | null;
  /** The record that lies so many behind the beginning of a page, whatever is asked for; null: the list ends before. */
  behind(page: Page, skip: number): Promise<T | null>;
  /** The newest records of a page that are asked for, since then. */
  read(page: Page, since: number | null): Promise<readonly T[]>;
}

/** Records that are looked at in one turn of the event loop. */
const MAX_STEP = 2_000;
/** Most of what is asked for lies close. */
const FIRST_STEP_PAGES = 4;

/** A page of such a list, in steps: a store of this process answers nobody else while it looks. */
export async function walkedPage<T extends { readonly _id: string; readonly created_at: number }>(walk: Walk<T>): Promise<readonly T[]> {
  const { owner, page, since, behind, read } = walk;
  const rows: T[] = [];
  let from = page;
  for (let step = page.limit * FIRST_STEP_PAGES; ; step = Math.min(step * 2, MAX_STEP)) {
    const end = await behind(from, step);
    const isLast = end === null || (since !== null && end.created_at < since);
    const found = await read({ ...from, limit: page.limit - rows.length }, isLast ? since : end.created_at);
    rows.push(...(isLast ? found : found.filter((row) => !isBehind(row, end))));
    if (isLast || rows.length === page.limit) return rows;
    from = { ...page, before: end.created_at, beforeId: end._id };
    await fairSlices.turn(owner);
  }
}

/** Of the same moment as the last record of a step, but further down: the next step has it. */
const isBehind = <T extends { readonly _id: string; readonly created_at: number }>(row: T, end: T): boolean =>
  row.created_at === end.created_at && row._id < end._id;
