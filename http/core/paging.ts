/** Where a page begins, as a query says it (`paging` in schemas.ts). */
interface PageQuery {
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

interface PageStart {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

interface Dated {
  readonly _id: string;
  readonly created_at: number;
}

/** A page, and `next`: what its answer says of the page after (`nextPage` in schemas.ts). */
interface Paged<T> {
  readonly rows: readonly T[];
  readonly next: { readonly next_before: number | null; readonly next_before_id: string | null };
}

/** A page of a list that is read newest first; the last one says that it is. */
export async function pageFrom<T extends Dated>(asked: PageQuery, list: (place: PageStart) => Promise<readonly T[]>): Promise<Paged<T>> {
  const { limit, before = null, before_id: beforeId = null } = asked;
  // One more than requested tells whether this is the last page.
  const found = await list({ limit: limit + 1, before, beforeId });
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, next: { next_before: last?.created_at ?? null, next_before_id: last?._id ?? null } };
}
