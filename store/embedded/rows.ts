import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Filter, Sort } from '../collection.ts';
import { translated } from './duplicate-key.ts';
import { toOrder, toWhere } from './filter.ts';
import type { Column, Layout } from './layout.ts';
import { toSql, valueAt } from './paths.ts';
import type { Asked } from './reader.ts';
import { columnValues } from './schema.ts';
import type { Statements } from './statements.ts';
import { assertStorable } from './storable.ts';

type Json = Record<string, unknown>;

/** A stored document as it was read: where it lies, and its text. */
export interface Row {
  readonly row: SQLOutputValue;
  readonly text: string;
}

export interface Reading {
  readonly sort?: Sort | undefined;
  readonly limit?: number | undefined;
  readonly skip?: number | undefined;
}

const MANY_ROWS = 20_000;

/** The rows of one table, by filter. Every method runs at once, inside whatever transaction is open. */
export class Rows {
  readonly #layout: Layout;
  readonly #statements: Statements;
  readonly #columns: readonly Column[];
  readonly #table: string;
  readonly #name: string;
  readonly #insertSql: string;
  #writes = 0;

  constructor(layout: Layout, statements: Statements) {
    this.#layout = layout;
    this.#statements = statements;
    this.#columns = [...layout.columns.values()];
    this.#table = layout.table;
    this.#name = layout.table.slice(1, -1);
    const names = ['_id', 'doc', ...this.#columns.map(({ sql }) => sql)];
    this.#insertSql = `INSERT INTO ${layout.table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  }

  /** How many writes were tried: what was read at another count may have changed since. */
  get writes(): number {
    return this.#writes;
  }

  /** Of so many that a question of all of them would be felt by everybody else. Rows are numbered as they come: it may be of fewer. */
  get isLarge(): boolean {
    return Number(this.#statements.prepare(`SELECT max(rowid) AS n FROM ${this.#table}`).get()!['n'] ?? 0) >= MANY_ROWS;
  }

  /** Does a filter ask for items of arrays? Then SQLite looks at each row that the rest selects (see array-index.ts). */
  looksIntoArrays(filter: Filter): boolean {
    return Object.entries(filter).some(([key, value]) =>
      Array.isArray(value) ? value.some((branch) => this.looksIntoArrays(branch)) : this.#layout.arrays.has(key),
    );
  }

  select(filter: Filter, reading: Reading): Row[] {
    return this.#query('rowid AS row, doc', filter, reading).map(toRow);
  }

  selecting(filter: Filter, reading: Reading): Asked {
    return this.#asked('rowid AS row, doc', filter, reading);
  }

  first(filter: Filter, sort?: Sort): Row | null {
    const { sql, params } = toWhere(this.#layout, filter);
    const text = `SELECT rowid AS row, doc FROM ${this.#table}${sql}${toOrder(this.#layout, sort)} LIMIT 1`;
    const found = this.#statements.prepare(text, sql && this.#name).get(...params);
    return found ? toRow(found) : null;
  }

  /** The ids that match, in order: what a long reading steps along. */
  ids(filter: Filter, reading: Reading): string[] {
    return this.#query('_id', filter, reading).map(({ _id }) => String(_id));
  }

  count(filter: Filter, limit: number | undefined): number {
    const { sql, params } = this.counting(filter, limit);
    return Number(this.#prepared(sql).get(...params)!['n']);
  }

  counting(filter: Filter, limit: number | undefined): Asked {
    const { sql, params } = toWhere(this.#layout, filter);
    return { sql: `SELECT count(*) AS n FROM (SELECT 1 FROM ${this.#table}${sql} LIMIT ?)`, params: [...params, limit || -1] };
  }

  /** Those of the ids that match the filter. */
  byId(ids: readonly string[], filter: Filter): Map<string, Row> {
    const rows = this.#query('_id, rowid AS row, doc', { $and: [{ _id: { $in: ids } }, filter] }, {});
    return new Map(rows.map((row) => [String(row['_id']), toRow(row)]));
  }

  /** Gives the text that is stored. Throws DuplicateKey for a second `_id` or unique key, TypeError for what is not a document. */
  insert(doc: { readonly _id?: unknown }): string {
    const id = doc._id;
    if (typeof id !== 'string') throw new TypeError('_id needs to be a string');
    assertStorable(doc, '');
    const text = JSON.stringify(doc);
    this.#run(this.#insertSql, [id, text, ...columnValues(doc, this.#columns)]);
    return text;
  }

  /** Writes the changed document over the row; only columns whose value changed are touched, and so only their indexes. */
  overwrite({ row, text }: Row, before: readonly SQLInputValue[], after: Json): boolean {
    const next = JSON.stringify(after);
    if (next === text) return false;
    let changes = 'doc = ?';
    const params: SQLInputValue[] = [next];
    for (const [i, { sql, segments }] of this.#columns.entries()) {
      const value = toSql(valueAt(after, segments));
      if (same(value, before[i]!)) continue;
      changes += `, ${sql} = ?`;
      params.push(value);
    }
    this.#run(`UPDATE ${this.#table} SET ${changes} WHERE rowid = ?`, [...params, row]);
    return true;
  }

  columnsOf(doc: Json): readonly SQLInputValue[] {
    return columnValues(doc, this.#columns);
  }

  remove(filter: Filter): number {
    this.#writes++;
    const { sql, params } = toWhere(this.#layout, filter);
    return Number(this.#statements.prepare(`DELETE FROM ${this.#table}${sql}`, sql && this.#name).run(...params).changes);
  }

  /** Removes at most `limit` of the rows that match; gives how many. */
  removeSome(filter: Filter, limit: number): number {
    this.#writes++;
    const { sql, params } = toWhere(this.#layout, filter);
    const text = `DELETE FROM ${this.#table} WHERE rowid IN (SELECT rowid FROM ${this.#table}${sql} LIMIT ?)`;
    return Number(this.#statements.prepare(text, sql && this.#name).run(...params, limit).changes);
  }

  removeRow({ row }: Row): void {
    this.#run(`DELETE FROM ${this.#table} WHERE rowid = ?`, [row]);
  }

  #query(what: string, filter: Filter, reading: Reading): Record<string, SQLOutputValue>[] {
    const { sql, params } = this.#asked(what, filter, reading);
    return this.#prepared(sql).all(...params);
  }

  #asked(what: string, filter: Filter, { sort, limit, skip }: Reading): Asked {
    const { sql, params } = toWhere(this.#layout, filter);
    const text = `SELECT ${what} FROM ${this.#table}${sql}${toOrder(this.#layout, sort)} LIMIT ? OFFSET ?`;
    return { sql: text, params: [...params, limit || -1, skip ?? 0] };
  }

  #prepared(sql: string): StatementSync {
    return this.#statements.prepare(sql, sql.includes(' WHERE ') ? this.#name : undefined);
  }

  #run(sql: string, params: readonly SQLInputValue[]): void {
    this.#writes++;
    try {
      this.#statements.prepare(sql).run(...params);
    } catch (cause) {
      throw translated(this.#layout, cause);
    }
  }
}

export const toRow = ({ row, doc }: Record<string, SQLOutputValue>): Row => ({ row: row!, text: String(doc) });
const same = (a: SQLInputValue, b: SQLInputValue): boolean =>
  a === b || (a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0);
