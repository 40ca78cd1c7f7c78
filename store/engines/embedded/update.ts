import { at } from '../../../runtime/invariant.ts';
import type { Filter, Update } from '../../port.ts';
import { isObject, segmentsOf, valueAt } from './paths.ts';
import { assertStorable } from './storable.ts';

type Json = Record<string, unknown>;
type Change = (doc: Json, path: string, value: unknown) => void;

const CHANGES: Readonly<Record<string, Change>> = {
  $set: put,
  $unset: remove,
  $inc: (doc, path, by) => put(doc, path, numberAt(doc, path) + asNumber(path, by)),
  $push: (doc, path, value) => put(doc, path, pushed(arrayAt(doc, path), value)),
  $addToSet: (doc, path, value) => put(doc, path, merged(arrayAt(doc, path), value)),
  $pull: pull,
  $setOnInsert: put,
};

/** After an error (TypeError: invalid update; Error: unexpected shape of `doc`), discard `doc`. */
export function applyUpdate(doc: Json, update: Update, inserting: boolean): void {
  assertNoConflict(update);
  const id = doc['_id'];
  for (const [op, fields] of Object.entries(update)) {
    const change = CHANGES[op];
    if (!change || !isObject(fields)) throw new TypeError(`not an update: ${op}`);
    if (op === '$setOnInsert' && !inserting) continue;
    for (const path of Object.keys(fields)) change(doc, path, fields[path]);
  }
  if (!inserting && doc['_id'] !== id) throw new Error('_id cannot be changed');
}

export function seedOf(filter: Filter): Json {
  const doc: Json = {};
  for (const [path, value] of equalities(filter)) put(doc, path, value);
  return doc;
}

function equalities(filter: Filter): readonly (readonly [string, unknown])[] {
  return Object.entries(filter).flatMap(([path, value]): readonly (readonly [string, unknown])[] => {
    if (path === '$and') return (filter.$and ?? []).flatMap(equalities);
    if (path.startsWith('$')) return [];
    if (!isObject(value)) return [[path, value]];
    return '$eq' in value ? [[path, value['$eq']]] : [];
  });
}

export function put(doc: Json, path: string, value: unknown): void {
  assertStorable(value, path);
  const segments = segmentsOf(path);
  const parent = parentOf(doc, path, segments);
  parent[at(segments, -1)] = value;
}

function parentOf(doc: Json, path: string, segments: readonly string[]): Json {
  let parent = doc;
  for (const segment of segments.slice(0, -1)) {
    if (!Object.hasOwn(parent, segment)) parent[segment] = {};
    const next = parent[segment];
    if (!isObject(next)) throw new Error(`cannot set ${path}: ${segment} is not an object`);
    parent = next;
  }
  return parent;
}

function remove(doc: Json, path: string): void {
  const segments = segmentsOf(path);
  const parent = valueAt(doc, segments.slice(0, -1));
  if (isObject(parent)) delete parent[at(segments, -1)];
}

function numberAt(doc: Json, path: string): number {
  const value = valueAt(doc, segmentsOf(path));
  if (value === undefined) return 0;
  if (typeof value !== 'number') throw new Error(`cannot increment ${path}: it is not a number`);
  return value;
}

function asNumber(path: string, value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`cannot increment ${path} by something that is not a number`);
  return value;
}

function arrayAt(doc: Json, path: string): readonly unknown[] {
  const value = valueAt(doc, segmentsOf(path));
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`${path} is not an array`);
  return value;
}

function pushed(items: readonly unknown[], value: unknown): unknown[] {
  const { each, slice } = modifiers(value, ['$each', '$slice']);
  const all = [...items, ...each];
  if (slice === undefined) return all;
  if (typeof slice !== 'number' || !Number.isInteger(slice)) throw new TypeError('$slice needs an integer');
  return slice < 0 ? all.slice(slice) : all.slice(0, slice);
}

function merged(items: readonly unknown[], value: unknown): unknown[] {
  const all = [...items];
  const seen = new Set(items.map((item) => JSON.stringify(item)));
  for (const item of modifiers(value, ['$each']).each) {
    const text = JSON.stringify(item);
    if (!seen.has(text)) all.push(item);
    seen.add(text);
  }
  return all;
}

function modifiers(value: unknown, allowed: readonly string[]): { each: readonly unknown[]; slice: unknown } {
  if (!isObject(value) || !Object.keys(value).some((key) => key.startsWith('$'))) return { each: [value], slice: undefined };
  const unknown = Object.keys(value).find((key) => !allowed.includes(key));
  const each = value['$each'];
  if (unknown || !Array.isArray(each)) throw new TypeError(unknown ? `unknown operator ${unknown}` : '$each needs a list');
  return { each, slice: value['$slice'] };
}

function pull(doc: Json, path: string, value: unknown): void {
  if (typeof value === 'object' && value !== null) throw new TypeError(`$pull from ${path} needs a plain value`);
  assertStorable(value, path);
  const items = arrayAt(doc, path);
  const kept = items.filter((item) => item !== value);
  if (kept.length < items.length) put(doc, path, kept);
}

function assertNoConflict(update: Update): void {
  const paths = Object.values(update).flatMap((fields) => (isObject(fields) ? Object.keys(fields) : []));
  const seen = new Set(paths);
  if (seen.size < paths.length) throw new TypeError('an update names the same path twice');
  for (const path of paths) {
    for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
      if (seen.has(path.slice(0, dot))) throw new TypeError(`an update changes both ${path} and ${path.slice(0, dot)}`);
    }
  }
}
