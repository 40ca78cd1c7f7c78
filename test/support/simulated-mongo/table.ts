import { isObject, segmentsOf, valueAt } from '../../../store/engines/embedded/paths.ts';
import type { Doc, Filter, IndexSpec } from '../../../store/port.ts';
import { testOf } from './matching.ts';
import { duplicateKey } from './refusals.ts';

/** A document as the server stores it. */
export type Row = Doc & Record<string, unknown>;

interface UniqueIndex {
  readonly spec: Pick<IndexSpec, 'name' | 'keys'>;
  readonly covers: (row: Row) => boolean;
  readonly holders: Map<string, string>;
}

/** One collection of the simulated server: its documents in insertion order, and its indexes. */
export class Table {
  readonly name: string;
  readonly #rows = new Map<string, Row>();
  readonly #unique: UniqueIndex[] = [];
  /** Document ids by value, for the first field of each index. */
  readonly #idsBy = new Map<string, Map<unknown, Set<string>>>();

  readonly #changed: (before: Row | null, after: Row | null) => void;

  constructor(name: string, changed: (before: Row | null, after: Row | null) => void = () => {}) {
    this.name = name;
    this.#changed = changed;
  }

  row(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  createIndex({ name, keys, where, unique = false }: IndexSpec): void {
    const [first] = Object.keys(keys);
    if (first && first !== '_id' && !this.#idsBy.has(first)) {
      this.#idsBy.set(first, new Map());
      for (const row of this.#rows.values()) this.#note(row, first);
    }
    if (!unique || this.#unique.some(({ spec }) => spec.name === name)) return;
    const index: UniqueIndex = { spec: { name, keys }, covers: where ? testOf(where) : () => true, holders: new Map() };
    for (const row of this.#rows.values()) {
      this.#expectFree(index, row);
      hold(index, row);
    }
    this.#unique.push(index);
  }

  hasIndex(name: string): boolean {
    return this.#unique.some(({ spec }) => spec.name === name);
  }

  dropIndex(name: string): void {
    const nth = this.#unique.findIndex(({ spec }) => spec.name === name);
    if (nth >= 0) this.#unique.splice(nth, 1);
  }

  /** Returns a superset of the matching documents. */
  candidates(filter: Filter): Iterable<Row> {
    const ids = this.#idsOf(filter);
    return ids ? this.#among(ids) : this.#rows.values();
  }

  /** Throws an error if another document has the same id or one of its unique keys. */
  insert(row: Row): void {
    if (this.#rows.has(row._id)) throw duplicateKey(this.name, '_id_', { _id: 1 });
    this.#put(row);
    this.#changed(null, row);
  }

  /** Throws an error if another document has one of its unique keys. */
  replace(before: Row, after: Row): void {
    for (const index of this.#unique) this.#expectFree(index, after);
    this.#forget(before);
    this.#put(after);
    this.#changed(before, after);
  }

  remove(row: Row): void {
    this.#forget(row);
    this.#rows.delete(row._id);
    this.#changed(row, null);
  }

  #put(row: Row): void {
    for (const index of this.#unique) this.#expectFree(index, row);
    for (const index of this.#unique) hold(index, row);
    for (const path of this.#idsBy.keys()) this.#note(row, path);
    this.#rows.set(row._id, row);
  }

  #forget(row: Row): void {
    for (const index of this.#unique) if (index.covers(row)) index.holders.delete(keyOf(index, row));
    for (const [path, ids] of this.#idsBy) for (const value of valuesAt(row, path)) ids.get(value)?.delete(row._id);
  }

  #note(row: Row, path: string): void {
    const ids = this.#idsBy.get(path);
    for (const value of valuesAt(row, path)) {
      const having = ids?.get(value);
      if (having) having.add(row._id);
      else ids?.set(value, new Set([row._id]));
    }
  }

  #expectFree(index: UniqueIndex, row: Row): void {
    if (!index.covers(row)) return;
    const holder = index.holders.get(keyOf(index, row));
    if (holder !== undefined && holder !== row._id) throw duplicateKey(this.name, index.spec.name, index.spec.keys);
  }

  *#among(ids: Iterable<string>): Iterable<Row> {
    for (const id of ids) {
      const row = this.#rows.get(id);
      if (row) yield row;
    }
  }

  /** Returns the smallest set of ids that an equality of the filter leaves; undefined if no index applies. */
  #idsOf(filter: Filter): Iterable<string> | undefined {
    const named = equalTo(filter['_id']);
    if (named) {
      const texts = named.filter((id) => typeof id === 'string');
      return texts.length > 1 ? new Set(texts) : texts;
    }
    let fewest: ReadonlySet<string> | undefined;
    for (const [path, ids] of this.#idsBy) {
      const values = equalTo(filter[path]);
      // A missing field also equals null, and an object is compared as a whole.
      if (!values || values.some((value) => value === null || typeof value === 'object')) continue;
      const [only] = values;
      const found = values.length === 1 ? (ids.get(only) ?? new Set()) : new Set(values.flatMap((value) => [...(ids.get(value) ?? [])]));
      if (!fewest || found.size < fewest.size) fewest = found;
    }
    return fewest;
  }
}

/** Returns the values of which a field must have one; undefined for other conditions. */
function equalTo(wanted: unknown): readonly unknown[] | undefined {
  if (wanted === undefined) return;
  if (!isObject(wanted)) return [wanted];
  if ('$eq' in wanted) return [wanted['$eq']];
  return Array.isArray(wanted['$in']) ? wanted['$in'] : undefined;
}

const valuesAt = (row: Row, path: string): readonly unknown[] => {
  const value = valueAt(row, segmentsOf(path));
  return Array.isArray(value) ? [...new Set(value)] : [value];
};

const keyOf = ({ spec }: UniqueIndex, row: Row): string =>
  JSON.stringify(Object.keys(spec.keys).map((path) => valueAt(row, segmentsOf(path)) ?? null));

function hold(index: UniqueIndex, row: Row): void {
  if (index.covers(row)) index.holders.set(keyOf(index, row), row._id);
}
