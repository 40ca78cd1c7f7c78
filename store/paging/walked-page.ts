import { fairSlices } from '../../runtime/fair-slices.ts';
import type { Page, Place } from './page.ts';

/** A list filtered by a condition without an index, so that all of it may have to be examined. */
export interface Walk<T> {
  /** The list's owner; owners of long lists are served in turn. */
  readonly owner: string;
  readonly page: Page;
  /** Lower bound of the query, epoch ms; null for none. */
  readonly since: number | null;
  placeOf(row: T): Place;
  /** The record `skip` positions after the page's start, unfiltered; null if the list is shorter. */
  behind(page: Page, skip: number): Promise<T | null>;
  read(page: Page, since: number | null): AsyncIterable<T>;
}

const MAX_STEP = 2_000;
/** The first step is short, because most matches are near the start. */
const FIRST_STEP_PAGES = 4;

/** Yields a page in steps, because an in-process store cannot serve other callers while it searches. */
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

/** Whether a record has the time of a step's last one but follows it; the next step yields it. */
const isBehind = (place: Place, end: Place): boolean => place.at === end.at && place.id < end.id;
