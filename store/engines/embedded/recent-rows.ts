import type { SQLOutputValue } from 'node:sqlite';
import { RecentCache } from '../../../runtime/recent-cache.ts';

export interface Row {
  readonly row: SQLOutputValue;
  readonly text: string;
}

const ROWS = 1_000;
const MAX_CHARS = 8_192;

/** A cache of recent rows. It is never stale, because all writes go through it and a rollback clears it. */
export class RecentRows {
  #rows = new RecentCache<string, Row | null>(ROWS);

  /** Returns undefined if the id is not cached, null if the document does not exist. */
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
