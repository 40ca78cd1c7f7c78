import type { Filter, Sort } from '../../port.ts';
import { type Known, type Layout, type Operand, operand } from './layout.ts';
import { encoded, isObject, type SqlValue, toSql } from './paths.ts';
import { assertStorable } from './storable.ts';

export interface Where {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

type Scalar = string | number | boolean | null;

interface Comparison {
  readonly path: string;
  readonly op: string;
  readonly value: unknown;
}

const MAX_VALUES = 16_384;
const RANGES: Readonly<Record<string, string>> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };

/** Throws a TypeError for `undefined` and for values that the stores would compare differently. */
export function toWhere(layout: Layout, filter: Filter): Where {
  const params: SqlValue[] = [];
  const sql = conjunction(layout, filter, params, true);
  return { sql: sql === '' ? '' : ` WHERE ${sql}`, params };
}

export function toOrder(layout: Layout, sort: Sort | undefined): string {
  const parts = Object.entries(sort ?? {}).map(([path, direction]) => {
    const field = operand(layout, path);
    if (field.kind === 'array' || (direction !== 1 && direction !== -1)) throw new TypeError(`cannot sort by ${path}: ${direction}`);
    return direction === 1 ? field.sql : `${field.sql} DESC`;
  });
  return parts.length === 0 ? '' : ` ORDER BY ${parts.join(', ')}`;
}

function conjunction(layout: Layout, filter: Filter, params: SqlValue[], outermost: boolean): string {
  if (!isObject(filter)) throw new TypeError(`not a filter: ${JSON.stringify(filter)}`);
  const parts: string[] = [];
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$and') parts.push(...branches(key, value).map((branch) => conjunction(layout, branch, params, outermost)));
    else if (key === '$or')
      parts.push(
        `(${branches(key, value)
          .map((branch) => alternative(layout, branch, params))
          .join(' OR ')})`,
      );
    else if (key.startsWith('$')) throw new TypeError(`unknown operator ${key}`);
    else field(layout, key, value, params, outermost ? parts : null, parts);
  }
  return parts.filter((part) => part !== '').join(' AND ');
}

function alternative(layout: Layout, filter: Filter, params: SqlValue[]): string {
  const sql = conjunction(layout, filter, params, false);
  return sql === '' ? '1' : `(${sql})`;
}

function branches(key: string, value: unknown): readonly Filter[] {
  if (!Array.isArray(value) || value.length === 0) throw new TypeError(`${key} needs a list of filters`);
  return value;
}

function field(layout: Layout, path: string, value: unknown, params: SqlValue[], implied: string[] | null, parts: string[]): void {
  const subject = operand(layout, path);
  const known = implied ? layout.known.get(path) : undefined;
  for (const [op, wanted] of conditionsOf(path, value)) {
    const given = known?.filter((term) => implies(op, wanted, term)) ?? [];
    // A partial index makes an equality redundant, but not a range. The range must come first,
    // because SQLite uses the first bound.
    if (given.every((term) => term.op !== '$eq')) parts.push(condition(layout, subject, { path, op, value: wanted }, params));
    implied?.push(...given.map(({ sql }) => sql));
  }
}

function conditionsOf(path: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) throw new TypeError(`${path} is compared to a list`);
  if (!isObject(value)) return [['$eq', value]];
  const conditions = Object.entries(value);
  if (conditions.length === 0) throw new TypeError(`${path} is compared to an object`);
  return conditions;
}

export function implies(op: string, value: unknown, term: Known): boolean {
  if (term.op === '$eq') return op === '$eq' && value === term.value;
  // Every string is at least '', so an equality or a lower bound with a string always implies this
  // term.
  if (typeof value === 'string' && term.value === '' && term.op === '$gte') return op === '$eq' || op === '$gte' || op === '$gt';
  if (typeof value !== 'number' || typeof term.value !== 'number') return op === term.op && value === term.value;
  const down = term.op.startsWith('$gt') ? 1 : -1;
  const strict = term.op === '$gt' || term.op === '$lt';
  const sameWay = op === '$eq' || op.startsWith(down === 1 ? '$gt' : '$lt');
  const touches = !strict || op === '$gt' || op === '$lt';
  return sameWay && (down * value > down * term.value || (value === term.value && touches));
}

function condition({ table }: Layout, subject: Operand, { path, op, value }: Comparison, params: SqlValue[]): string {
  if (op === '$exists') return exists(subject, path, value);
  if (op === '$eq' && typeof value === 'object' && value !== null && subject.kind !== 'id') {
    assertStorable(value, path);
    params.push(JSON.stringify(value));
    return `doc->'$.${path}' IS json(?)`;
  }
  if (subject.kind === 'array') return membership(table, subject, { path, op, value }, params);
  if (op === '$in' || op === '$nin') return among(subject, op, list(path, value, subject), params);
  return comparison(subject, op, scalar(path, value, subject), params);
}

function exists(subject: Operand, path: string, value: unknown): string {
  if (typeof value !== 'boolean') throw new TypeError(`$exists of ${path} is neither true nor false`);
  if (subject.kind === 'id') return value ? '1' : '0';
  return `json_type(doc,'$.${path}') IS ${value ? 'NOT NULL' : 'NULL'}`;
}

function comparison({ sql }: Operand, op: string, value: Scalar, params: SqlValue[]): string {
  const range = rangeOf(op, value);
  if (value === null) return `${sql} IS ${op === '$eq' ? '' : 'NOT '}NULL`;
  params.push(toSql(value));
  if (!range) return op === '$eq' ? `${sql} = ?` : `${sql} IS NOT ?`;
  return `${sql} ${range} ?${bracket(sql, range, value)}`;
}

function rangeOf(op: string, value: Scalar): string | undefined {
  const range = RANGES[op];
  if (!range && op !== '$eq' && op !== '$ne') throw new TypeError(`unknown operator ${op}`);
  if (range && typeof value !== 'number' && typeof value !== 'string') throw new TypeError(`${op} compares numbers and strings only`);
  return range;
}

// SQLite orders null < numbers < text < blobs, but MongoDB compares only values of the same type.
function bracket(sql: string, range: string, value: Scalar): string {
  if (sql === '_id') return '';
  if (typeof value === 'string') return ` AND typeof(${sql}) = 'text'`;
  return range.startsWith('<') ? '' : ` AND typeof(${sql}) IN ('integer', 'real')`;
}

function among({ sql }: Operand, op: string, values: readonly Scalar[], params: SqlValue[]): string {
  const plain = values.filter((value) => value !== null);
  const hasNull = plain.length < values.length;
  const negative = op === '$nin';
  const isNull = `${sql} IS ${negative === hasNull ? 'NOT NULL' : 'NULL'}`;
  if (plain.length === 0) return hasNull ? isNull : negative ? '1' : '0';
  const test = `${sql} ${negative ? 'NOT ' : ''}IN (${bindAll(plain, params)})`;
  return negative === hasNull ? test : `(${test} OR ${isNull})`;
}

// Repeats the last value up to a power of two, so that few prepared statements cover all lists.
function bindAll(values: readonly Scalar[], params: SqlValue[]): string {
  const width = 2 ** Math.ceil(Math.log2(values.length));
  for (let i = 0; i < width; i++) params.push(toSql(values[Math.min(i, values.length - 1)]));
  return '?, '.repeat(width - 1).concat('?');
}

function membership(table: string, subject: Operand, { path, op, value }: Comparison, params: SqlValue[]): string {
  if (op === '$ne' || op === '$nin') return `NOT ${membership(table, subject, { path, op: op === '$ne' ? '$eq' : '$in', value }, params)}`;
  if (op !== '$in') return `(${itemTest(table, subject, { path, op, value: scalar(path, value, ITEM) }, params)})`;
  const values = list(path, value, ITEM);
  if (subject.items && values.length > 0 && !values.includes(null))
    return indexed(table, subject.items, among(INDEXED_ITEM, op, values, params));
  const tests = values.map((one) => itemTest(table, subject, { path, op: '$eq', value: one }, params));
  return `(${tests.length === 0 ? '0' : tests.join(' OR ')})`;
}

function itemTest(table: string, { items }: Operand, { path, op, value }: Comparison & { value: Scalar }, params: SqlValue[]): string {
  const holds = (test: string): string => `EXISTS (SELECT 1 FROM json_each(doc,'$.${path}') AS item WHERE ${test})`;
  if (items !== undefined && value !== null) return indexed(table, items, comparison(INDEXED_ITEM, op, value, params));
  const test = comparison(ITEM, op, value, params);
  return value === null ? `json_type(doc,'$.${path}') IS NULL OR ${holds("item.type = 'null'")}` : holds(test);
}

const indexed = (table: string, items: string, test: string): string =>
  `EXISTS (SELECT 1 FROM ${items} AS item WHERE item.row = ${table}.rowid AND ${test})`;

const ITEM: Operand = { kind: 'scalar', sql: encoded('item.type', 'item.value') };
const INDEXED_ITEM: Operand = { kind: 'scalar', sql: 'item.item' };

function list(path: string, value: unknown, subject: Operand): readonly Scalar[] {
  if (!Array.isArray(value) || value.length > MAX_VALUES) throw new TypeError(`${path} needs a list of at most ${MAX_VALUES} values`);
  return value.map((one) => scalar(path, one, subject));
}

function scalar(path: string, value: unknown, subject: Operand): Scalar {
  if (value === undefined) throw new TypeError(`${path} is compared to undefined`);
  if (subject.kind === 'id' && typeof value !== 'string') throw new TypeError('_id is compared to something that is not a string');
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`${path} is compared to ${typeof value === 'number' ? value : 'something other than a plain value'}`);
}
