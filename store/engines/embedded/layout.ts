import { present } from '../../../runtime/invariant.ts';
import type { CollectionSpec, Filter, IndexSpec } from '../../port.ts';
import { type ArrayIndex, arrayIndexesOf } from './array-index.ts';
import { isObject, literal, segmentsOf, sqlOf } from './paths.ts';

export interface Column {
  readonly sql: string;
  readonly segments: readonly string[];
}

/** SQLite uses a partial index only if the query repeats this text exactly. */
export interface Known {
  readonly op: string;
  readonly value: string | number | boolean;
  readonly sql: string;
}

export interface TableIndex {
  readonly spec: IndexSpec;
  readonly keys: readonly (readonly [path: string, direction: 1 | -1])[];
  readonly terms: readonly (readonly [path: string, term: Known])[];
  readonly present: readonly string[];
  readonly name: string;
  readonly sql: string;
}

export interface Operand {
  readonly kind: 'id' | 'scalar' | 'array';
  readonly sql: string;
  readonly items?: string;
}

/**
 * Uses plain columns instead of expressions, so that an update touches only indexes whose values
 * changed.
 */
export interface Layout {
  readonly table: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly arrays: ReadonlySet<string>;
  readonly arrayIndexes: ReadonlyMap<string, ArrayIndex>;
  readonly indexes: readonly TableIndex[];
  readonly known: ReadonlyMap<string, readonly Known[]>;
}

const NAME = /^[A-Za-z_]\w*$/;
const SQL_OPS: Readonly<Record<string, string>> = { $eq: '=', $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };

export function layoutOf(spec: CollectionSpec): Layout {
  const arrays = new Set(spec.arrays ?? []);
  const indexes = [...spec.indexes, ...expiryIndex(spec)].filter(
    (index, nth, all) => hasKeys(index, arrays) && !isSpare(index, nth, all, arrays),
  );
  const paths = indexes.flatMap((index) => [...keyPaths(index, arrays), ...Object.keys(index.where ?? {})]);
  const known = new Map<string, Known[]>();
  for (const [path, term] of indexes.flatMap(({ where }) => termsOf(where))) {
    const terms = known.get(path) ?? [];
    if (!terms.some(({ sql }) => sql === term.sql)) known.set(path, [...terms, term]);
  }
  return {
    table: `"${named(spec.name)}"`,
    columns: new Map(paths.filter((path) => path !== '_id').map((path) => [path, { sql: `"$${path}"`, segments: segmentsOf(path) }])),
    arrays,
    arrayIndexes: arrayIndexesOf(spec),
    indexes: indexes.map((index) => tableIndex(spec.name, index, arrays)),
    known,
  };
}

export function operand(layout: Layout, path: string): Operand {
  if (path === '_id') return { kind: 'id', sql: '_id' };
  const column = layout.columns.get(path);
  if (column) return { kind: 'scalar', sql: column.sql };
  segmentsOf(path);
  if (!layout.arrays.has(path)) return { kind: 'scalar', sql: sqlOf(path) };
  const indexed = layout.arrayIndexes.get(path);
  return { kind: 'array', sql: path, ...(indexed && { items: indexed.sql }) };
}

function expiryIndex({ expires }: CollectionSpec): readonly IndexSpec[] {
  return expires === undefined ? [] : [{ name: 'expiry', keys: { [expires]: 1 }, where: { [expires]: { $exists: true } } }];
}

// SQLite cannot index array items. The other keys select rows, which are then tested for membership.
function keyPaths(index: IndexSpec, arrays: ReadonlySet<string>): readonly string[] {
  return Object.keys(index.keys).filter((path) => !arrays.has(path));
}

function hasKeys(index: IndexSpec, arrays: ReadonlySet<string>): boolean {
  const kept = keyPaths(index, arrays).length;
  if (index.unique && kept < Object.keys(index.keys).length) throw new TypeError(`unique index ${index.name} over an array`);
  return kept > 0;
}

function isSpare(index: IndexSpec, nth: number, all: readonly IndexSpec[], arrays: ReadonlySet<string>): boolean {
  if (index.where || keyPaths(index, arrays).length === Object.keys(index.keys).length) return false;
  const shown = (one: IndexSpec): string =>
    keyPaths(one, arrays)
      .map((path) => `${path} ${one.keys[path]},`)
      .join('');
  return all.some(
    (other, place) =>
      place !== nth && !other.where && shown(other).startsWith(shown(index)) && (shown(other) !== shown(index) || place < nth),
  );
}

function tableIndex(collection: string, spec: IndexSpec, arrays: ReadonlySet<string>): TableIndex {
  const name = `${collection}.${named(spec.name)}`;
  const paths = keyPaths(spec, arrays);
  const keys = paths.map((path) => `${column(path)}${spec.keys[path] === -1 ? ' DESC' : ''}`);
  const where = Object.entries(spec.where ?? {}).map(([path, condition]) => conditionSql(path, condition));
  const sql =
    `CREATE ${spec.unique ? 'UNIQUE ' : ''}INDEX "${name}" ON "${collection}" (${keys.join(', ')})` +
    (where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '');
  return {
    spec,
    keys: paths.map((path) => [path, present(spec.keys[path], path)] as const),
    terms: termsOf(spec.where),
    present: Object.entries(spec.where ?? {}).flatMap(([path, condition]) => ('$exists' in asOperators(condition) ? [path] : [])),
    name,
    sql,
  };
}

function conditionSql(path: string, condition: Filter[string]): string {
  return Object.entries(asOperators(condition))
    .map(([op, value]) => (op === '$exists' && value === true ? `${column(path)} IS NOT NULL` : term(path, op, value).sql))
    .join(' AND ');
}

// The query need not repeat `IS NOT NULL`, because SQLite infers it from any comparison.
function termsOf(where: Filter | undefined): readonly (readonly [string, Known])[] {
  return Object.entries(where ?? {}).flatMap(([path, condition]) =>
    Object.entries(asOperators(condition))
      .filter(([op]) => op !== '$exists')
      .map(([op, value]) => [path, term(path, op, value)] as const),
  );
}

function term(path: string, op: string, value: unknown): Known {
  const sign = SQL_OPS[op];
  const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (!sign || !scalar) throw new TypeError(`an index cannot be limited to ${path}: ${op} ${JSON.stringify(value)}`);
  return { op, value, sql: `${column(path)} ${sign} ${literal(value)}` };
}

const asOperators = (condition: unknown): object => (isObject(condition) ? condition : { $eq: condition });
const column = (path: string): string => (path === '_id' ? '_id' : `"$${segmentsOf(path).join('.')}"`);

function named(name: string): string {
  if (!NAME.test(name)) throw new TypeError(`not a name: ${JSON.stringify(name)}`);
  return name;
}
