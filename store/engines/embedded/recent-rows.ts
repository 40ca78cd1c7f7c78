import type { SQLOutputValue } from 'node:sqlite';
import { RecentCache } from '../../../runtime/recent-cache.ts';

/** A stored document as read: its row number and text. */
export interface Row {
  readonly row: SQLOutputValue;
  readonly text: string;
}

const ROWS = 1_000;
const MAX_CHARS = 8_192;

/**
 * Caches rows of one table that were recently read by `_id` or written, and ids that did not exist.
 * Never stale: this process makes all writes through the cache, no other code reads between a write
 * and its commit, and a rollback clears the cache.
 */
export class RecentRows {
  #rows = new RecentCache<string, Row | null>(ROWS);

  /** Returns undefined when the id is not cached, null when it does not exist. */
  get(id: string): Row | null | undefined {
    return this.#rows.get(id);
  }

  keep(id: string, row: Row | null): void {
    if (row !== null && row.text.length > MAX_CHARS) this.#rows.delete(id);
    else this.#rows.set(id, row);
  }

  forget(): void {
    this.#rows = new RecentCache(ROWS);
  }
}
