import { RecentCache } from '../../runtime/recent-cache.ts';

/** A page that begins somewhere in time and goes back from there. Times are epoch ms. */
export interface Backwards<T> {
  /** The query without the start of its page: the range that it needed is remembered under this key. */
  readonly key: string;
  /** The page begins here; null: the time of the newest record is unknown. */
  readonly from: number | null;
  /** Nothing older is asked for; null: all. */
  readonly since: number | null;
  readonly limit: number;
  /** The newest `limit` records since then. */
  read(since: number | null): AsyncIterable<T>;
}

interface Dated {
  readonly created_at: number;
  readonly _id: string;
}

const REMEMBERED = 1_000;
const NARROWEST_MS = 15 * 60_000;
const WIDER = 8;
const WIDEST_MS = NARROWEST_MS * WIDER ** 5;
/** The next page may lie in a quieter time. */
const ROOM = 4;

/**
 * Reads a page of a log from a stretch of time that is likely to hold it, and from a wider one where it did not. MongoDB itself walks the
 * index in its order and stops after the page. Servers that speak its protocol may instead sort all that the filter finds (measured: 5 s of a
 * log of a million messages, and 10 ms of its last hour), whatever index or hint there is.
 */
export class AdaptiveRange {
  readonly #widths = new RecentCache<string, number>(REMEMBERED);

  async *page<T extends Dated>(asked: Backwards<T>): AsyncGenerator<T, void, void> {
    const { key, from, since, limit, read } = asked;
    if (from === null) return yield* read(since);
    let found = 0;
    let last: T | null = null;
    for (let width = this.#widths.get(key) ?? NARROWEST_MS; ; width *= WIDER) {
      const start = width > WIDEST_MS ? since : later(since, from - width);
      const remember = (oldest: T | null): void => {
        if (start !== since || width > WIDEST_MS) this.#remember(asked, oldest);
      };
      for await (const row of behind(last, read(start))) {
        found += 1;
        last = row;
        // The reader may have enough with it.
        if (found === limit) remember(row);
        yield row;
      }
      if (found < limit && start !== since) continue;
      if (found < limit) remember(null);
      return;
    }
  }

  #remember<T extends Dated>({ key, from }: Backwards<T>, oldest: T | null): void {
    let width = oldest ? NARROWEST_MS : Number.POSITIVE_INFINITY;
    if (oldest && from !== null) while (width < (from - oldest.created_at) * ROOM) width *= WIDER;
    this.#widths.set(key, width);
  }
}

/** Those that a narrower stretch did not have. */
async function* behind<T extends Dated>(last: T | null, rows: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  for await (const row of rows) if (last === null || isOlder(row, last)) yield row;
}

const isOlder = (one: Dated, other: Dated): boolean =>
  one.created_at < other.created_at || (one.created_at === other.created_at && one._id < other._id);

const later = (since: number | null, at: number): number => (since === null ? at : Math.max(since, at));
