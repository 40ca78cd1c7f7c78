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
  read(since: number | null): Promise<readonly T[]>;
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

  async page<T extends { readonly created_at: number }>(asked: Backwards<T>): Promise<readonly T[]> {
    const { key, from, since, limit, read } = asked;
    if (from === null) return read(since);
    for (let width = this.#widths.get(key) ?? NARROWEST_MS; ; width *= WIDER) {
      const start = width > WIDEST_MS ? since : later(since, from - width);
      const rows = await read(start);
      if (rows.length < limit && start !== since) continue;
      if (start !== since || width > WIDEST_MS) this.#remember(asked, rows);
      return rows;
    }
  }

  #remember<T extends { readonly created_at: number }>({ key, from, limit }: Backwards<T>, rows: readonly T[]): void {
    const oldest = rows[limit - 1];
    let width = oldest ? NARROWEST_MS : Number.POSITIVE_INFINITY;
    if (oldest && from !== null) while (width < (from - oldest.created_at) * ROOM) width *= WIDER;
    this.#widths.set(key, width);
  }
}

const later = (since: number | null, at: number): number => (since === null ? at : Math.max(since, at));
