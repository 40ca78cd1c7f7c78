import { fairSlices } from '../../runtime/fair-slices.ts';
import type { Page, Place } from './page.ts';

export interface Walk<T> {
  readonly owner: string;
  readonly page: Page;
  readonly since: number | null;
  placeOf(row: T): Place;
  behind(page: Page, skip: number): Promise<T | null>;
  read(page: Page, since: number | null): AsyncIterable<T>;
}

const MAX_STEP = 2_000;
/** Length of the first step in pages. It is small, because most matches are near the start. */
const FIRST_STEP_PAGES = 4;

/** Searches in steps, because an in-process store cannot serve other callers during a step. */
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

/**
 * A record may have the same time as the last record of a step, but follow it. The next step yields
 * such a record.
 */
const isBehind = (place: Place, end: Place): boolean => place.at === end.at && place.id < end.id;
