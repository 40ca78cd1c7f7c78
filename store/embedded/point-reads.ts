import type { Filter } from '../collection.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Row, Rows } from './rows.ts';

const MOST_ROWS = 100;
const MOST_CHARS = 16_384;

/**
 * Rows that were read by `_id` since the last commit. Exact, not stale: what is stored changes at a commit only, and all commits are of this
 * process. Under load the requests of one turn read the same few rows (their device) over and over.
 */
export class PointReads {
  readonly #rows: Rows;
  readonly #commits: GroupCommit;
  readonly #seen = new Map<string, Row | null>();
  #asOf = -1;

  constructor(rows: Rows, commits: GroupCommit) {
    this.#rows = rows;
    this.#commits = commits;
  }

  first(filter: Filter): Row | null {
    const key = keyOf(filter);
    if (key === null) return this.#rows.first(filter);
    this.#forgetOld();
    const seen = this.#seen.get(key);
    return seen === undefined ? this.#read(key, filter) : seen;
  }

  #read(key: string, filter: Filter): Row | null {
    const row = this.#rows.first(filter);
    if (this.#seen.size < MOST_ROWS && (row === null || row.text.length <= MOST_CHARS)) this.#seen.set(key, row);
    return row;
  }

  #forgetOld(): void {
    if (this.#asOf === this.#commits.count) return;
    this.#asOf = this.#commits.count;
    this.#seen.clear();
  }
}

/** The filter, whole: null unless it asks for one `_id`, and for equal texts only. */
function keyOf(filter: Filter): string | null {
  if (typeof filter['_id'] !== 'string') return null;
  for (const path in filter) if (typeof filter[path] !== 'string') return null;
  return JSON.stringify(filter);
}
