import { fairSlices } from '../../runtime/fair-slices.ts';
import type { Page, Place } from './page.ts';

/** A list that is read for what its index does not know, so that all of it may have to be looked at. */
export interface Walk<T> {
  /** Whose list it is: those who read long lists have turns. */
  readonly owner: string;
  readonly page: Page;
  /** Nothing older is asked for, epoch ms; null: all. */
  readonly since: number | null;
  /** What the list is sorted by, newest first. */
  placeOf(row: T): Place;
  /** The record that lies so many behind the beginning of a page, whatever is asked for; null: the list ends before. */
  behind(page: Page, skip: number): Promise<T | null>;
  /** The newest records of a page that are asked for, since then. */
  read(page: Page, since: number | null): AsyncIterable<T>;
}

/** Records that are looked at in one turn of the event loop. */
const MAX_STEP = 2_000;
/** Most of what is asked for lies close. */
const FIRST_STEP_PAGES = 4;

/** A page of such a list, in steps: a store of this process answers nobody else while it looks. */
export async function* walkedPage<T>(walk: Walk<T>): AsyncGenerator<T, void, void> {
  const { owner, page, since, placeOf, behind, read } = walk;
  let from = page;
  let found = 0;
  for (let step = page.limit * FIRST_STEP_PAGES; ; step = Math.min(step * 2, MAX_STEP)) {
    const last = await behind(from, step);
    const end = last && placeOf(last);
    const isLast = end === null || (since !== null && end.at < since);
    for await (const row of read({ ...from, limit: page.limit - found }, isLast ? since : end.at)) {
      if (!isLast && isBehind(placeOf(row), end)) break;
      found += 1;
      yield row;
    }
    if (isLast || found === page.limit) return;
    from = { ...page, before: end.at, beforeId: end.id };
    await fairSlices.turn(owner);
  }
}

/** Of the same moment as the last record of a step, but further down: the next step has it. */
const isBehind = (place: Place, end: Place): boolean => place.at === end.at && place.id < end.id;
