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

  /** Does a filter ask for one `_id`, and beside it for equal texts only? Then `byId` gives the row, if any, and `fits` says of its document whether it is meant. */
  isPoint(filter: Filter): filter is Filter & { readonly _id: string } {
    if (typeof filter['_id'] !== 'string') return false;
    for (const path in filter) if (typeof filter[path] !== 'string' || !this.#rows.isPlain(path)) return false;
    return true;
  }

  byId(id: string): Row | null {
    if (this.#asOf !== this.#rows.writes) {
      this.#asOf = this.#rows.writes;
      this.#seen = new RecentCache(ROWS);
    }
    const seen = this.#seen.get(id);
    return seen === undefined ? this.#read(id) : seen;
  }

  /** Those of a few ids that are there, in their order; null: the filter asks for something else. */
  few(filter: Filter): readonly Row[] | null {
    const ids = idsOf(filter);
    return ids?.flatMap((id) => this.byId(id) ?? []) ?? null;
  }

  #read(id: string): Row | null {
    const row = this.#rows.first({ _id: id });
    if (row === null || row.text.length <= MAX_CHARS) this.#seen.set(id, row);
    return row;
  }
}

/** Of the filter of a point: has the document all of its texts? */
export function fits(doc: object, filter: Filter): boolean {
  for (const path in filter) if (memberOf(doc, path) !== filter[path]) return false;
  return true;
}

/** null unless it asks for nothing but a few ids. */
function idsOf(filter: Filter): readonly string[] | null {
  const { _id, ...others } = filter;
  const ids = memberOf(_id, '$in');
  if (Object.keys(Object(_id)).length !== 1 || !Array.isArray(ids) || ids.length > FEW || Object.keys(others).length > 0) return null;
  return ids.every((id) => typeof id === 'string') ? [...new Set(ids)].toSorted() : null;
}
