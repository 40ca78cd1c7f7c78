import { fairSlices } from '../../runtime/fair-slices.ts';
import type { Filter } from '../port.ts';

/** Which part of a list, newest first. */
export interface Page {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
  /** The time, where the caller knows it: what is newest lies close to it. */
  readonly now?: number;
}

/** A list that is read from its newest record on. */
export interface Reading<T> {
  /** Whose list it is: those who read long lists have turns. */
  readonly owner: string;
  /** Records a page. */
  readonly limit: number;
  /** Records behind `after`, null: from where the page begins. Fewer than `limit`: there are no more. */
  fetch(after: T | null, limit: number): Promise<readonly T[]>;
  /** A selection that no index supports: which of these belong to the answer, in their order. Null: all. */
  readonly keep: Keep<T> | null;
  /** `keep` has done so much that the page is to end here, whether it is full or not. */
  readonly isEnough?: () => boolean;
  /** Records that `keep` is asked about at a time. */
  readonly together?: number;
}

export type Keep<T> = (rows: readonly T[]) => readonly T[] | Promise<readonly T[]>;

export interface PageRead<T> {
  readonly rows: readonly T[];
  /** The page after begins behind it; null: this was the last. */
  readonly next: T | null;
}

/** The part of a list, sorted by `created_at` and `_id` descending, after `before` (epoch ms) and `beforeId`; null: all. */
export function olderThan({ before, beforeId }: { readonly before: number | null; readonly beforeId: string | null }): Filter {
  if (before === null) return {};
  return { $and: [{ created_at: { $lte: before } }, { $or: [{ created_at: { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] }] };
}

const LOOKED_AT_TOGETHER = 200;
/** So many records are looked at for one page at most, so that none takes long. */
const LOOKED_AT_PER_PAGE = 4_000;

/** A page of a list. With `keep` it may hold less than a page, or nothing, though more follow. */
export async function readPage<T>({ keep, ...reading }: Reading<T>): Promise<PageRead<T>> {
  if (keep) return filtered({ ...reading, keep });
  const { limit, fetch } = reading;
  // One more than requested tells whether this is the last page.
  const found = await fetch(null, limit + 1);
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1) ?? null) : null };
}

async function filtered<T>({
  owner,
  limit,
  fetch,
  keep,
  isEnough,
  together = LOOKED_AT_TOGETHER,
}: Reading<T> & { readonly keep: Keep<T> }): Promise<PageRead<T>> {
  const rows: T[] = [];
  let last: T | null = null;
  for (let looked = 0; looked < LOOKED_AT_PER_PAGE; looked += together) {
    const after: T | null = last;
    const found: readonly T[] = await fairSlices.run(owner, () => fetch(after, together));
    rows.push(...(await keep(found)));
    const isLast = found.length < together;
    if (rows.length > limit || (rows.length === limit && !isLast)) return { rows: rows.slice(0, limit), next: rows[limit - 1] ?? null };
    if (isLast) return { rows, next: null };
    last = found.at(-1) ?? null;
    if (isEnough?.()) break;
  }
  return { rows, next: last };
}
