import { RecentCache } from '../../../runtime/recent-cache.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import type { Filter } from '../../port.ts';
import type { Row, Rows } from './rows.ts';

const ROWS = 1_000;
const MAX_CHARS = 8_192;
/** More ids are one question. */
const FEW = 2;

/**
 * Rows of one table that were read by `_id` since the table was written to, and ids that were not there. Exact, not stale: all writes are of
 * this process, and nothing reads between a write and its commit. A send reads its device and its recipient's consent, which change rarely.
 */
export class PointReads {
  readonly #rows: Rows;
  #seen = new RecentCache<string, Row | null>(ROWS);
  #asOf = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  first(filter: Filter): Row | null {
    const key = keyOf(filter);
    if (key === null) return this.#rows.first(filter);
    this.#forgetOld();
    const seen = this.#seen.get(key);
    return seen === undefined ? this.#read(key, filter) : seen;
  }

  /** Those of a few ids that are there, in their order; null: the filter asks for something else. */
  few(filter: Filter): readonly Row[] | null {
    const ids = idsOf(filter);
    return ids?.flatMap((_id) => this.first({ _id }) ?? []) ?? null;
  }

  #read(key: string, filter: Filter): Row | null {
    const row = this.#rows.first(filter);
    if (row === null || row.text.length <= MAX_CHARS) this.#seen.set(key, row);
    return row;
  }

  #forgetOld(): void {
    if (this.#asOf === this.#rows.writes) return;
    this.#asOf = this.#rows.writes;
    this.#seen = new RecentCache(ROWS);
  }
}

/** The filter, whole: null unless it asks for one `_id`, and for equal texts only. */
function keyOf(filter: Filter): string | null {
  if (typeof filter['_id'] !== 'string') return null;
  for (const path in filter) if (typeof filter[path] !== 'string') return null;
  return JSON.stringify(filter);
}

/** null unless it asks for nothing but a few ids. */
function idsOf(filter: Filter): readonly string[] | null {
  const { _id, ...others } = filter;
  const ids = memberOf(_id, '$in');
  if (Object.keys(Object(_id)).length !== 1 || !Array.isArray(ids) || ids.length > FEW || Object.keys(others).length > 0) return null;
  return ids.every((id) => typeof id === 'string') ? [...new Set(ids)].toSorted() : null;
}
