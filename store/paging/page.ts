import { fairSlices } from '../../runtime/fair-slices.ts';
import type { Filter } from '../port.ts';

/**
 * Pages of lists, newest first. A page ends at `limit` entries or 1 MB of response, whichever comes
 * first, but has at least one entry. The cost of a request is thus bounded in bytes, whatever
 * people wrote. Lists are read in pieces (see `Cursor` in port.ts), so that memory holds at most a
 * page and about a megabyte more.
 */

export interface Page {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
  /** The current time; present if the newest records are known to be close to it. */
  readonly now?: number;
}

export interface Place {
  readonly at: number;
  readonly id: string;
}

export interface Reading<T, E> {
  readonly owner: string;
  readonly page: Page;
  list(page: Page): AsyncIterable<T>;
  placeOf(row: T): Place;
  readonly keep?: Keep<T> | null;
  show(rows: readonly T[]): readonly E[] | Promise<readonly E[]>;
  readonly isEnough?: () => boolean;
  readonly together?: number;
  readonly most?: number;
}

export type Keep<T> = (rows: readonly T[]) => readonly T[] | Promise<readonly T[]>;

export interface PageRead<E> {
  readonly entries: readonly E[];
  readonly next: Place | null;
}

export const PAGE_BYTES = 2 ** 20;
const ENVELOPE_BYTES = 1_024;
const LOOKED_AT_TOGETHER = 200;
const LOOKED_AT_PER_PAGE = 4_000;

export const byCreation = ({ created_at, _id }: { readonly created_at: number; readonly _id: string }): Place => ({
  at: created_at,
  id: _id,
});

export function olderThan(
  { before, beforeId }: { readonly before: number | null; readonly beforeId: string | null },
  time = 'created_at',
): Filter {
  if (before === null) return {};
  return { $and: [{ [time]: { $lte: before } }, { $or: [{ [time]: { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] }] };
}

export async function readPage<T, E>(reading: Reading<T, E>): Promise<PageRead<E>> {
  const { owner, page, list, placeOf, keep = null, show, isEnough, most = LOOKED_AT_PER_PAGE } = reading;
  // One extra record shows whether this is the last page.
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

export function fitting<E>(entries: readonly E[]): readonly E[] {
  const answer = new Answer<E, E>(entries.length);
  answer.take(entries, entries);
  return answer.entries;
}

class Answer<T, E> {
  readonly entries: E[] = [];
  readonly #limit: number;
  #bytes = ENVELOPE_BYTES;
  #isMeasured = false;
  #last: T | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.entries.length === this.#limit;
  }

  take(rows: readonly T[], shown: readonly E[]): boolean {
    for (const [nth, entry] of shown.entries()) {
      if (this.isFull || (!this.#fits(entry) && this.entries.length > 0)) return false;
      this.entries.push(entry);
      this.#last = rows[nth] ?? null;
    }
    return true;
  }

  /** Compares an upper bound first, because most pages are too small to need exact sizes. */
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

const bytesOf = (entry: unknown): number => Buffer.byteLength(JSON.stringify(entry)) + 1;

/** JSON uses at most six bytes for each character. */
const BYTES_A_CHAR = 6;
const mostBytesOf = (entry: unknown): number => BYTES_A_CHAR * charsOf(entry);

export function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + charsOf(one), 3);
  if (typeof value !== 'object' || value === null) return LONGEST_NUMBER;
  let chars = 3;
  for (const [key, one] of Object.entries(value)) chars += key.length + 3 + charsOf(one);
  return chars;
}

const LONGEST_NUMBER = 25;

const PIECE_CHARS = 2 ** 17;

/**
 * Reads every piece in a fair slice of `owner`. The first piece skips this unless `inTurns` is
 * true.
 */
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
