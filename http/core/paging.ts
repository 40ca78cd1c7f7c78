import { byCreation, type Page, type PageRead, type Place, type Reading, readPage } from '../../store/paging/page.ts';

/** Where a page begins, as a query says it (`paging` in schemas.ts). */
export interface PageQuery {
  readonly limit: number;
  readonly before?: number | null | undefined;
  readonly before_id?: string | null | undefined;
}

export const pageIn = ({ limit, before, before_id }: PageQuery): Page => ({ limit, before: before ?? null, beforeId: before_id ?? null });

/** What the answer of a list says of the page after (`nextPage` in schemas.ts). */
export const nextOf = (next: Place | null) => ({ next_before: next?.at ?? null, next_before_id: next?.id ?? null });

interface Dated {
  readonly _id: string;
  readonly created_at: number;
}

/** `showAll`: where something is read for all entries together. */
type Listing<T, E> = Pick<Reading<T, E>, 'list' | 'keep'> & ({ show(row: T): E } | { showAll(rows: readonly T[]): Promise<readonly E[]> });

/** A page of a list that is sorted by creation, newest first: its entries, and what its answer says of the page after. */
export async function pageFrom<T extends Dated, E>(owner: string, asked: PageQuery, listing: Listing<T, E>) {
  const { list, keep = null } = listing;
  const show = 'show' in listing ? (rows: readonly T[]) => rows.map(listing.show) : listing.showAll;
  const { entries, next }: PageRead<E> = await readPage<T, E>({ owner, page: pageIn(asked), placeOf: byCreation, list, keep, show });
  return { entries, next: nextOf(next) };
}
