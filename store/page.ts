/** A list that is read from its newest record on. */
export interface Reading<T> {
  /** Records a page. */
  readonly limit: number;
  /** Records behind `after`, null: from where the page begins. Fewer than `limit`: there are no more. */
  fetch(after: T | null, limit: number): Promise<readonly T[]>;
  /** What no index finds: which of these belong to the answer, in their order. Null: all of them. */
  readonly keep: Keep<T> | null;
}

export type Keep<T> = (rows: readonly T[]) => readonly T[] | Promise<readonly T[]>;

export interface PageRead<T> {
  readonly rows: readonly T[];
  /** The page after begins behind it; null: this was the last. */
  readonly next: T | null;
}

const LOOKED_AT_TOGETHER = 200;
/** So many records are looked at for one page at most, so that none takes long. */
const LOOKED_AT_A_PAGE = 4_000;

/** A page of a list. With `keep` it may hold less than a page, or nothing, though more follow. */
export async function readPage<T>({ limit, fetch, keep }: Reading<T>): Promise<PageRead<T>> {
  if (keep) return sieved({ limit, fetch, keep });
  // One more than asked for tells whether this is the last page.
  const found = await fetch(null, limit + 1);
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1) ?? null) : null };
}

async function sieved<T>({ limit, fetch, keep }: Reading<T> & { readonly keep: Keep<T> }): Promise<PageRead<T>> {
  const rows: T[] = [];
  let last: T | null = null;
  for (let looked = 0; looked < LOOKED_AT_A_PAGE; looked += LOOKED_AT_TOGETHER) {
    const found = await fetch(last, LOOKED_AT_TOGETHER);
    for (const row of await keep(found)) {
      rows.push(row);
      if (rows.length === limit) return { rows, next: row };
    }
    if (found.length < LOOKED_AT_TOGETHER) return { rows, next: null };
    last = found.at(-1) ?? null;
  }
  return { rows, next: last };
}
