import { at } from '../../../runtime/invariant.ts';
import { isObject, segmentsOf, valueAt } from './paths.ts';
import { put } from './update.ts';

/** Either all values are 1 (`_id` is included unless it is 0), or all values are 0. */
export type Projection = Readonly<Record<string, 0 | 1>>;

export function project(doc: Record<string, unknown>, projection: Projection | undefined): Record<string, unknown> {
  if (!projection || Object.keys(projection).length === 0) return doc;
  const { _id: id = 1, ...rest } = projection;
  const paths = Object.keys(rest);
  const including = (Object.values(rest)[0] ?? id) === 1;
  if (paths.some((path) => rest[path] !== (including ? 1 : 0))) throw new TypeError('a projection either includes or excludes');
  return including ? included(doc, paths, id === 1) : excluded(doc, id === 1 ? paths : ['_id', ...paths]);
}

export function namedFields(projection: Projection | undefined): readonly string[] | null {
  const { _id: id = 1, ...rest } = projection ?? {};
  const paths = Object.keys(rest);
  return id === 1 && paths.length > 0 && paths.every((path) => rest[path] === 1) ? paths : null;
}

export function documentOf(id: unknown, fields: readonly (readonly [path: string, value: unknown])[]): Record<string, unknown> {
  const doc = { _id: id };
  for (const [path, value] of fields) put(doc, path, value);
  return doc;
}

function included(doc: Record<string, unknown>, paths: readonly string[], withId: boolean): Record<string, unknown> {
  const kept: Record<string, unknown> = withId ? { _id: doc['_id'] } : {};
  for (const path of paths) {
    const value = valueAt(doc, segmentsOf(path));
    if (value !== undefined) put(kept, path, value);
  }
  return kept;
}

function excluded(doc: Record<string, unknown>, paths: readonly string[]): Record<string, unknown> {
  for (const path of paths) {
    const segments = segmentsOf(path);
    const parent = valueAt(doc, segments.slice(0, -1));
    if (isObject(parent)) delete parent[at(segments, -1)];
  }
  return doc;
}
