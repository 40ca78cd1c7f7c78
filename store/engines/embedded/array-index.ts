import type { DatabaseSync } from 'node:sqlite';
import type { CollectionSpec } from '../../port.ts';
import { encoded, segmentsOf } from './paths.ts';

/** An index with one row per array item, in a separate table. SQLite cannot index a row's array items. */
export interface ArrayIndex {
  readonly sql: string;
  readonly path: string;
}

export function arrayIndexesOf({ name, indexes, arrays = [] }: CollectionSpec): ReadonlyMap<string, ArrayIndex> {
  const indexed = arrays.filter((path) => indexes.some(({ keys }) => Object.hasOwn(keys, path)));
  return new Map(indexed.map((path) => [path, { path: segmentsOf(path).join('.'), sql: `"${name}#${path}"` }]));
}

export function migrateArrays(db: DatabaseSync, table: string, wanted: Iterable<ArrayIndex>): void {
  const arrays = [...wanted];
  const present = new Set(
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, ?) = ?")
      .all(table.length - 1, `${table.slice(1, -1)}#`)
      .map(({ name }) => `"${String(name)}"`),
  );
  const kept = new Set(arrays.map(({ sql }) => sql));
  for (const sql of present) if (!kept.has(sql)) drop(db, sql);
  for (const array of arrays) if (!present.has(array.sql)) make(db, table, array);
}

export function arrayStatements(table: string, { sql, path }: ArrayIndex): readonly string[] {
  const items = (row: string, doc: string): string =>
    `INSERT OR IGNORE INTO ${sql} SELECT ${row}, ${encoded('item.type', 'item.value')} FROM json_each(${doc},'$.${path}') AS item WHERE item.type <> 'null'`;
  const changed = `json_extract(OLD.doc,'$.${path}') IS NOT json_extract(NEW.doc,'$.${path}')`;
  const gone = `DELETE FROM ${sql} WHERE row = OLD.rowid`;
  return [
    `CREATE TABLE ${sql} (row INTEGER NOT NULL, item NOT NULL, PRIMARY KEY (row, item)) WITHOUT ROWID`,
    `CREATE TRIGGER ${trigger(sql, 'added')} AFTER INSERT ON ${table} BEGIN ${items('NEW.rowid', 'NEW.doc')}; END`,
    `CREATE TRIGGER ${trigger(sql, 'changed')} AFTER UPDATE OF doc ON ${table} WHEN ${changed} BEGIN ${gone}; ${items('NEW.rowid', 'NEW.doc')}; END`,
    `CREATE TRIGGER ${trigger(sql, 'removed')} AFTER DELETE ON ${table} BEGIN ${gone}; END`,
  ];
}

function make(db: DatabaseSync, table: string, array: ArrayIndex): void {
  const { sql, path } = array;
  for (const statement of arrayStatements(table, array)) db.exec(statement);
  db.exec(
    `INSERT OR IGNORE INTO ${sql} SELECT ${table}.rowid, ${encoded('item.type', 'item.value')} FROM ${table}, json_each(doc,'$.${path}') AS item WHERE item.type <> 'null'`,
  );
}

function drop(db: DatabaseSync, sql: string): void {
  for (const when of ['added', 'changed', 'removed']) db.exec(`DROP TRIGGER IF EXISTS ${trigger(sql, when)}`);
  db.exec(`DROP TABLE ${sql}`);
}

const trigger = (sql: string, when: string): string => `"${sql.slice(1, -1)}.${when}"`;
