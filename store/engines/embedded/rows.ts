import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { at, present } from '../../../runtime/invariant.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { Filter, Sort } from '../../port.ts';
import { translated } from './duplicate-key.ts';
import { toOrder, toWhere } from './filter.ts';
import { indexFor } from './index-choice.ts';
import type { Column, Layout } from './layout.ts';
import { segmentsOf, toSql, valueAt } from './paths.ts';
import type { ReadRequest } from './reader.ts';
import { RecentRows, type Row } from './recent-rows.ts';
import { columnValues } from './schema.ts';
import type { Statements } from './statements.ts';
import { assertStorable } from './storable.ts';

type Json = Record<string, unknown>;

interface Source {
  readonly sql: string;
  readonly checked: string | undefined;
}

export interface Asked extends ReadRequest, Pick<Source, 'checked'> {}

export interface Reading {
  readonly sort?: Sort | undefined;
  readonly limit?: number | undefined;
  readonly skip?: number | undefined;
}

export interface Some {
  readonly rows: readonly Row[];
  readonly isWhole: boolean;
}

export interface NarrowRow {
  readonly id: string;
  readonly text: string | null;
  readonly fields: readonly (readonly [path: string, value: unknown])[];
}

/** `+ 0` is needed because SQLite replans whenever a lone parameter is bound (measured: 5 % of the CPU). */
const LIMIT = 'LIMIT ? + 0';

const MAX_CHARS_AT_ONCE = 2 ** 20;

const MANY_ROWS = 20_000;
const SHAPES_KEPT = 1_000;

/** Every method is synchronous and runs inside the open transaction if there is one. */
export class Rows {
  readonly #layout: Layout;
  readonly #statements: Statements;
  readonly #columns: readonly Column[];
  readonly #table: string;
  readonly #name: string;
  readonly #insertSql: string;
  readonly #sources = new RecentCache<string, Source>(SHAPES_KEPT);
  readonly #recent = new RecentRows();
  #writes = 0;
  #erased = 0;

  constructor(layout: Layout, statements: Statements) {
    this.#layout = layout;
    this.#statements = statements;
    this.#columns = [...layout.columns.values()];
    this.#table = layout.table;
    this.#name = layout.table.slice(1, -1);
    const names = ['_id', 'doc', ...this.#columns.map(({ sql }) => sql)];
    this.#insertSql = `INSERT INTO ${layout.table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  }

  /** Number of removed or overwritten rows whose former content may still be in the log. */
  get erased(): number {
    return this.#erased;
  }

  get writes(): number {
    return this.#writes;
  }

  get isLarge(): boolean {
    return Number(this.#statements.prepare(`SELECT max(rowid) AS n FROM ${this.#table}`).get()?.['n'] ?? 0) >= MANY_ROWS;
  }

  /** True if equality of strings works as in SQL, that is for a top-level field that is not an array. */
  isPlain(path: string): boolean {
    return path === '_id' || (segmentsOf(path).length === 1 && !this.#layout.arrays.has(path));
  }

  looksIntoArrays(filter: Filter): boolean {
    return Object.entries(filter).some(([key, value]) =>
      Array.isArray(value) ? value.some((branch) => this.looksIntoArrays(branch)) : this.#layout.arrays.has(key),
    );
  }

  answer({ sql, checked, params }: Asked): Record<string, SQLOutputValue>[] {
    return this.#statements.prepare(sql, checked).all(...params);
  }

  select(filter: Filter, reading: Reading): Row[] {
    return this.#query('rowid AS row, doc', filter, reading).map(toRow);
  }

  selectSome(filter: Filter, reading: Reading): Some {
    const { sql, checked, params } = this.#asked('rowid AS row, doc', filter, reading);
    return someOf(this.#statements.prepare(sql, checked).iterate(...params));
  }

  selecting(filter: Filter, reading: Reading): Asked {
    return this.#asked('rowid AS row, doc', filter, reading);
  }

  first(filter: Filter, sort?: Sort): Row | null {
    const { sql, params } = toWhere(this.#layout, filter);
    const source = this.#source(sql, filter, sort);
    const found = this.#statements.prepare(`SELECT rowid AS row, doc FROM ${source.sql} LIMIT 1`, source.checked).get(...params);
    return found ? toRow(found) : null;
  }

  ids(filter: Filter, reading: Reading): string[] {
    return this.#query('_id', filter, reading).map(({ _id }) => String(_id));
  }

  numbering(filter: Filter, reading: Reading): Asked {
    const { sql, ...same } = this.#asked('rowid AS row', filter, reading);
    return { ...same, sql: `SELECT group_concat(row) AS numbers FROM (${sql})` };
  }

  byNumber(numbers: readonly number[], filter: Filter): Some {
    const { sql, params } = toWhere(this.#layout, filter);
    // A cross join makes SQLite visit the row numbers in order.
    const source = `json_each(?) AS wanted CROSS JOIN ${this.#table} NOT INDEXED ON ${this.#table}.rowid = wanted.value`;
    const found = this.#statements.prepare(`SELECT ${this.#table}.rowid AS row, doc FROM ${source}${sql}`);
    return someOf(found.iterate(JSON.stringify(numbers), ...params));
  }

  /** Reads only `paths`, so that an index may suffice. Returns null if a path has no column. */
  fields(filter: Filter, reading: Reading, paths: readonly string[]): readonly NarrowRow[] | null {
    const columns = paths.map((path) => this.#layout.columns.get(path)?.sql);
    if (columns.some((sql) => sql === undefined)) return null;
    const isUnclear = columns.map((sql) => `typeof(${sql}) IN ('null', 'blob')`).join(' OR ');
    const names = columns.map((sql, nth) => `${sql} AS field${nth}`).join(', ');
    const rows = this.#query(`_id, ${names}, CASE WHEN ${isUnclear} THEN doc END AS doc`, filter, reading);
    return rows.map(({ _id, doc, ...row }) => ({
      id: String(_id),
      text: doc === null || doc === undefined ? null : String(doc),
      fields: paths.map((path, nth) => [path, row[`field${nth}`]] as const),
    }));
  }

  counting(filter: Filter, limit: number | undefined): Asked {
    const { sql, params } = toWhere(this.#layout, filter);
    const source = this.#source(sql, filter);
    return {
      sql: `SELECT count(*) AS n FROM (SELECT 1 FROM ${source.sql} ${LIMIT})`,
      checked: source.checked,
      params: [...params, limit || -1],
      owner: ownerOf(filter),
    };
  }

  these(ids: readonly string[]): Row[] {
    const rows = new Map(ids.map((id) => [id, this.#recent.get(id)]));
    const unknown = ids.filter((id) => rows.get(id) === undefined);
    const read = this.#readById(unknown);
    for (const id of unknown) {
      const row = read.get(id) ?? null;
      rows.set(id, row);
      this.#recent.keep(id, row);
    }
    return [...rows.values()].filter((row) => row != null);
  }

  rolledBack(): void {
    this.#recent.forget();
  }

  byId(ids: readonly string[], filter: Filter): Map<string, Row> {
    const rows = this.#query('_id, rowid AS row, doc', { $and: [{ _id: { $in: ids } }, filter] }, {});
    return new Map(rows.map((row) => [String(row['_id']), toRow(row)]));
  }

  insert(doc: { readonly _id?: unknown }): string {
    const id = doc._id;
    if (typeof id !== 'string') throw new TypeError('_id needs to be a string');
    assertStorable(doc, '');
    const text = JSON.stringify(doc);
    const row = this.#run(this.#insertSql, [id, text, ...columnValues(doc, this.#columns)]);
    this.#recent.keep(id, { row, text });
    return text;
  }

  /** Writes only columns whose value changed, so that only their indexes are updated. */
  overwrite({ row, text }: Row, before: readonly SQLInputValue[], after: Json): boolean {
    const next = JSON.stringify(after);
    if (next === text) return false;
    let changes = 'doc = ?';
    const params: SQLInputValue[] = [next];
    for (const [i, { sql, segments }] of this.#columns.entries()) {
      const value = toSql(valueAt(after, segments));
      if (same(value, at(before, i))) continue;
      changes += `, ${sql} = ?`;
      params.push(value);
    }
    this.#erased++;
    this.#run(`UPDATE ${this.#table} SET ${changes} WHERE rowid = ?`, [...params, row]);
    this.#recent.keep(String(after['_id']), { row, text: next });
    return true;
  }

  columnsOf(doc: Json): readonly SQLInputValue[] {
    return columnValues(doc, this.#columns);
  }

  removeSome(filter: Filter, limit: number): number {
    this.#erased++;
    this.#writes++;
    this.#recent.forget();
    const { sql, params } = toWhere(this.#layout, filter);
    const text = `DELETE FROM ${this.#table} WHERE rowid IN (SELECT rowid FROM ${this.#table}${sql} ${LIMIT})`;
    return Number(this.#statements.prepare(text, sql && this.#name).run(...params, limit).changes);
  }

  removeRow({ row, text }: Row): void {
    this.#erased++;
    this.#run(`DELETE FROM ${this.#table} WHERE rowid = ?`, [row]);
    this.#recent.keep(JSON.parse(text)._id, null);
  }

  #readById(ids: readonly string[]): ReadonlyMap<string, Row> {
    if (ids.length > 1) return this.byId(ids, {});
    const [id] = ids;
    const row = id === undefined ? null : this.first({ _id: id });
    return new Map(id !== undefined && row ? [[id, row]] : []);
  }

  #query(what: string, filter: Filter, reading: Reading): Record<string, SQLOutputValue>[] {
    return this.answer(this.#asked(what, filter, reading));
  }

  #asked(what: string, filter: Filter, { sort, limit, skip }: Reading): Asked {
    const { sql, params } = toWhere(this.#layout, filter);
    const source = this.#source(sql, filter, sort);
    const text = `SELECT ${what} FROM ${source.sql} ${LIMIT} OFFSET ?`;
    return { sql: text, checked: source.checked, params: [...params, limit || -1, skip ?? 0], owner: ownerOf(filter) };
  }

  /** Caches by query shape, because the index choice depends only on the conditions and the order. */
  #source(where: string, filter: Filter, sort?: Sort): Source {
    const order = toOrder(this.#layout, sort);
    const shape = `${where}${order}`;
    const known = this.#sources.get(shape);
    if (known !== undefined) return known;
    const { index, isBounded } = indexFor(this.#layout, filter, sort);
    const sql = `${this.#table}${index ? ` INDEXED BY "${index.name}"` : ''}${shape}`;
    const source = { sql, checked: where === '' || isBounded ? undefined : this.#name };
    this.#sources.set(shape, source);
    return source;
  }

  #run(sql: string, params: readonly SQLInputValue[]): SQLOutputValue {
    this.#writes++;
    try {
      return this.#statements.prepare(sql).run(...params).lastInsertRowid;
    } catch (cause) {
      throw translated(this.#layout, cause);
    }
  }
}

function someOf(found: Iterable<Record<string, SQLOutputValue>>): Some {
  const rows: Row[] = [];
  let chars = 0;
  for (const one of found) {
    if (chars >= MAX_CHARS_AT_ONCE) return { rows, isWhole: false };
    const row = toRow(one);
    rows.push(row);
    chars += row.text.length;
  }
  return { rows, isWhole: true };
}

export const toRow = ({ row, doc }: Record<string, SQLOutputValue>): Row => ({ row: present(row, 'a row number'), text: String(doc) });
const same = (a: SQLInputValue, b: SQLInputValue): boolean =>
  a === b || (a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0);

function ownerOf({ tenant_id, session_id, blast_id, $and = [] }: Filter): string {
  return String(tenant_id ?? session_id ?? blast_id ?? $and.map(ownerOf).find((owner) => owner !== '') ?? '');
}
