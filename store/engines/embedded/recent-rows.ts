import type { SQLOutputValue } from 'node:sqlite';
import { RecentCache } from '../../../runtime/recent-cache.ts';

/** A stored document as it was read: where it lies, and its text. */
export interface Row {
  readonly row: SQLOutputValue;
  readonly text: string;
}

const ROWS = 1_000;
const MAX_CHARS = 8_192;

/**
 * Rows of one table that were read by `_id` or written lately, and ids that were not there. Exact, not stale: all writes are of this process and
 * pass here, nothing else reads between a write and its commit, and what is rolled back is forgotten with all the rest.
 */
export class RecentRows {
  #rows = new RecentCache<string, Row | null>(ROWS);

  /** undefined: not known. */
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
