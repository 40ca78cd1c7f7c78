import { fairSlices } from '../../runtime/fair-slices.ts';
import type { Filter } from '../port.ts';

/**
 * Pages of lists, newest first. A page ends at `limit` entries or at 1 MB of answer, whichever comes first, with at least one entry: what one request
 * costs is bounded in bytes, whatever people wrote. Lists are read piece by piece (see `Cursor` in port.ts), so that no more of the store is in memory
 * than a page shows and about a megabyte beside it.
 */

/** Which part of a list, newest first. */
export interface Page {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
  /** The time, where the caller knows it: what is newest lies close to it. */
  readonly now?: number;
}

/** Where a record lies in its list: its time (or another integer that sorts it), and among those of one time its id. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** A list that is read from its newest record on, and what of it an answer shows. */
export interface Reading<T, E> {
  /** Whose list it is: those who read long lists have turns. */
  readonly owner: string;
  readonly page: Page;
  /** The newest `limit` records of a page. */
  list(page: Page): AsyncIterable<T>;
  placeOf(row: T): Place;
  /** A selection that no index supports: which of these belong to the answer, in their order. Null: all. */
  readonly keep?: Keep<T> | null;
  /** The entries of the answer, one for each of these rows, in their order. */
  show(rows: readonly T[]): readonly E[] | Promise<readonly E[]>;
  /** `keep` has done so much that the page is to end here, whether it is full or not. */
  readonly isEnough?: () => boolean;
  /** Records that `keep` is asked about at a time. */
  readonly together?: number;
  /** Records that are looked at for one page, so that none takes long. */
  readonly most?: number;
}

export type Keep<T> = (rows: readonly T[]) => readonly T[] | Promise<readonly T[]>;

export interface PageRead<E> {
  readonly entries: readonly E[];
  /** The page after begins behind it; null: this was the last. */
  readonly next: Place | null;
}

/** Bytes of the JSON of one answer. */
export const PAGE_BYTES = 2 ** 20;
/** What stands around the entries. */
const ENVELOPE_BYTES = 1_024;
const LOOKED_AT_TOGETHER = 200;
const LOOKED_AT_PER_PAGE = 4_000;

/** The place of a record in a list sorted by `created_at` and `_id`. */
export const byCreation = ({ created_at, _id }: { readonly created_at: number; readonly _id: string }): Place => ({
  at: created_at,
  id: _id,
});

/** The part of a list, sorted by a time and `_id` descending, after `before` (epoch ms) and `beforeId`; null: all. */
export function olderThan(
  { before, beforeId }: { readonly before: number | null; readonly beforeId: string | null },
  time = 'created_at',
): Filter {
  if (before === null) return {};
  return { $and: [{ [time]: { $lte: before } }, { $or: [{ [time]: { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] }] };
}

/** A page of a list. With `keep` it may hold less than a page, or nothing, though more follow. */
export async function readPage<T, E>(reading: Reading<T, E>): Promise<PageRead<E>> {
  const { owner, page, list, placeOf, keep = null, show, isEnough, most = LOOKED_AT_PER_PAGE } = reading;
  // One more than requested tells whether this is the last page.
  const together = keep ? (reading.together ?? LOOKED_AT_TOGETHER) : page.limit + 1;
  const answer = new Answer<T, E>(page.limit);
  let from: Page = { ...page, limit: together };
  for (let looked = 0; looked < most; looked += together) {
    let found = 0;
    let last: T | undefined;
    for await (const rows of piecesOf(owner, list(from), keep !== null)) {
      found += rows.length;
      last = rows.at(-1);
      const kept = keep ? await keep(rows) : rows;
      if (!answer.take(kept, await show(kept))) return answer.endingBefore(placeOf);
    }
    if (found < together || last === undefined) return answer.whole();
    if (answer.isFull) return answer.endingBefore(placeOf);
    const { at, id } = placeOf(last);
    if (isEnough?.() || looked + together >= most) return { entries: answer.entries, next: { at, id } };
    from = { ...from, before: at, beforeId: id };
  }
  return answer.whole();
}

/** The first entries of a list that fit into an answer, one at least. */
export function fitting<E>(entries: readonly E[]): readonly E[] {
  const answer = new Answer<E, E>(entries.length);
  answer.take(entries, entries);
  return answer.entries;
}

/** Fills up to its limits of entries and bytes. */
class Answer<T, E> {
  readonly entries: E[] = [];
  readonly #limit: number;
  #bytes = ENVELOPE_BYTES;
  /** Else `#bytes` is what the entries have at most. */
  #isMeasured = false;
  #last: T | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.entries.length === this.#limit;
  }

  /** False: there was no room for all of them. */
  take(rows: readonly T[], shown: readonly E[]): boolean {
    for (const [nth, entry] of shown.entries()) {
      if (this.isFull || (!this.#fits(entry) && this.entries.length > 0)) return false;
      this.entries.push(entry);
      this.#last = rows[nth] ?? null;
    }
    return true;
  }

  /** Most pages are so small that nothing has to be measured. */
  #fits(entry: E): boolean {
    this.#bytes += this.#isMeasured ? bytesOf(entry) : mostBytesOf(entry);
    if (this.#bytes <= PAGE_BYTES || this.#isMeasured) return this.#bytes <= PAGE_BYTES;
    this.#isMeasured = true;
    this.#bytes = this.entries.reduce((sum, one) => sum + bytesOf(one), ENVELOPE_BYTES + bytesOf(entry));
    return this.#bytes <= PAGE_BYTES;
  }

  endingBefore(placeOf: (row: T) => Place): PageRead<E> {
    return { entries: this.entries, next: this.#last && placeOf(this.#last) };
  }

  whole(): PageRead<E> {
    return { entries: this.entries, next: null };
  }
}

/** With the comma behind it. */
const bytesOf = (entry: unknown): number => Buffer.byteLength(JSON.stringify(entry)) + 1;

/** JSON writes a character with six bytes at most. */
const BYTES_A_CHAR = 6;
const mostBytesOf = (entry: unknown): number => BYTES_A_CHAR * charsOf(entry);

/** Characters of a value as JSON, except that each character of a string counts as one. */
export function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + charsOf(one), 3);
  if (typeof value !== 'object' || value === null) return LONGEST_NUMBER;
  let chars = 3;
  for (const [key, one] of Object.entries(value)) chars += key.length + 3 + charsOf(one);
  return chars;
}

const LONGEST_NUMBER = 25;

/** Characters of the records that are selected, named and shown together, and of the last one of them. */
const PIECE_CHARS = 2 ** 17;

/** The records of a reading, so many at a time that they are not large together, each piece in a turn of the owner; the first only where `inTurns`. */
async function* piecesOf<T>(owner: string, rows: AsyncIterable<T>, inTurns: boolean): AsyncGenerator<readonly T[], void, void> {
  const iterator = rows[Symbol.asyncIterator]();
  try {
    for (let isOver = false, nth = 0; !isOver; nth += 1) {
      if (nth > 0 && !inTurns) await fairSlices.turn(owner);
      const piece: T[] = [];
      const read = async (): Promise<void> => {
        for (let chars = 0; chars < PIECE_CHARS; ) {
          const { done, value } = await iterator.next();
          if (done) {
            isOver = true;
            return;
          }
          piece.push(value);
          chars += charsOf(value);
        }
      };
      await (inTurns ? fairSlices.run(owner, read) : read());
      if (piece.length > 0) yield piece;
    }
  } finally {
    await iterator.return?.();
  }
}
