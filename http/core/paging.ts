import { byCreation, type Page, type PageRead, type Place, type Reading, readPage } from '../../store/paging/page.ts';

export interface PageQuery {
  readonly limit: number;
  readonly before?: number | null | undefined;
  readonly before_id?: string | null | undefined;
}

export const pageIn = ({ limit, before, before_id }: PageQuery): Page => ({ limit, before: before ?? null, beforeId: before_id ?? null });

export const nextOf = (next: Place | null) => ({ next_before: next?.at ?? null, next_before_id: next?.id ?? null });

interface Dated {
  readonly _id: string;
  readonly created_at: number;
}

type Listing<T, E> = Pick<Reading<T, E>, 'list' | 'keep'> & ({ show(row: T): E } | { showAll(rows: readonly T[]): Promise<readonly E[]> });

export async function pageFrom<T extends Dated, E>(owner: string, asked: PageQuery, listing: Listing<T, E>) {
  const { list, keep = null } = listing;
  const show = 'show' in listing ? (rows: readonly T[]) => rows.map(listing.show) : listing.showAll;
  const { entries, next }: PageRead<E> = await readPage<T, E>({ owner, page: pageIn(asked), placeOf: byCreation, list, keep, show });
  return { entries, next: nextOf(next) };
}
