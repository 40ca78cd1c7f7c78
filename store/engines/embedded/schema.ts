import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { at, present } from '../../../runtime/invariant.ts';
import { arrayStatements, migrateArrays } from './array-index.ts';
import type { Column, Layout } from './layout.ts';
import { toSql, valueAt } from './paths.ts';

const BACKFILL_ROWS = 1_000;

export type Existing = ReadonlyMap<string, ReadonlySet<string>>;

export function existingIn(db: DatabaseSync): Existing {
  const existing = new Map<string, Set<string>>();
  for (const { tbl_name, sql } of db.prepare('SELECT tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all()) {
    const [collection = ''] = String(tbl_name).split('#');
    existing.set(collection, (existing.get(collection) ?? new Set()).add(String(sql)));
  }
  return existing;
}

/** Applies all changes or none. They become durable with the next commit at the latest. */
export function migrate(db: DatabaseSync, layout: Layout, existing: Existing): void {
  if (isThere(layout, existing)) return;
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA temp_store = FILE');
  try {
    inOneGo(db, layout);
  } finally {
    db.exec('PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
  }
}

function inOneGo(db: DatabaseSync, layout: Layout): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.exec(tableStatement(layout).replace('TABLE', 'TABLE IF NOT EXISTS'));
    const existing = existingIndexes(db, layout);
    dropStaleIndexes(db, layout, existing);
    migrateColumns(db, layout);
    for (const { name, sql } of layout.indexes) if (existing.get(name) !== sql) db.exec(sql);
    migrateArrays(db, layout.table, layout.arrayIndexes.values());
    db.exec('COMMIT');
  } catch (cause) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw cause;
  }
}

/**
 * Columns come before the document, because SQLite must read through everything that precedes a
 * column.
 */
function tableStatement({ table, columns }: Layout): string {
  return `CREATE TABLE ${table} (_id TEXT NOT NULL PRIMARY KEY, ${[...columns.values()].map(({ sql }) => `${sql}, `).join('')}doc TEXT NOT NULL)`;
}

function isThere(layout: Layout, existing: Existing): boolean {
  const wanted = [
    tableStatement(layout),
    ...layout.indexes.map(({ sql }) => sql),
    ...[...layout.arrayIndexes.values()].flatMap((array) => arrayStatements(layout.table, array)),
  ];
  const found = existing.get(unquoted(layout.table));
  return found?.size === wanted.length && wanted.every((sql) => found.has(sql));
}

function existingIndexes(db: DatabaseSync, { table }: Layout): Map<string, string> {
  const rows = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?")
    .all(unquoted(table));
  return new Map(rows.map(({ name, sql }) => [String(name), String(sql)]));
}

function dropStaleIndexes(db: DatabaseSync, layout: Layout, existing: ReadonlyMap<string, string>): void {
  const wanted = new Map(layout.indexes.map(({ name, sql }) => [name, sql]));
  for (const [name, sql] of existing) if (wanted.get(name) !== sql) db.exec(`DROP INDEX "${name}"`);
}

// Drops unused columns, because a later spec would trust the stale values in them.
function migrateColumns(db: DatabaseSync, layout: Layout): void {
  const present = new Set(
    db
      .prepare(`PRAGMA table_info(${layout.table})`)
      .all()
      .map(({ name }) => `"${String(name)}"`),
  );
  const wanted = [...layout.columns.values()];
  const kept = new Set(['"_id"', '"doc"', ...wanted.map(({ sql }) => sql)]);
  for (const name of present) if (!kept.has(name)) db.exec(`ALTER TABLE ${layout.table} DROP COLUMN ${name}`);
  const added = wanted.filter(({ sql }) => !present.has(sql));
  for (const { sql } of added) db.exec(`ALTER TABLE ${layout.table} ADD COLUMN ${sql}`);
  if (added.length > 0) backfill(db, layout, added);
}

function backfill(db: DatabaseSync, { table }: Layout, columns: readonly Column[]): void {
  const page = db.prepare(`SELECT rowid AS row, doc FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${BACKFILL_ROWS}`);
  const fill = db.prepare(`UPDATE ${table} SET ${columns.map(({ sql }) => `${sql} = ?`).join(', ')} WHERE rowid = ?`);
  for (let rows = page.all(-1); rows.length > 0; rows = page.all(rowOf(at(rows, -1)))) {
    for (const one of rows) fill.run(...columnValues(JSON.parse(String(one['doc'])), columns), rowOf(one));
  }
}

const rowOf = ({ row }: Record<string, SQLOutputValue>): SQLOutputValue => present(row, 'a row number');

export function columnValues(doc: unknown, columns: readonly Column[]): SQLInputValue[] {
  return columns.map(({ segments }) => toSql(valueAt(doc, segments)));
}

const unquoted = (table: string): string => table.slice(1, -1);
