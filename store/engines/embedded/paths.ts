/** Booleans and containers are stored as blobs, so that `true` differs from 1. */
export type SqlValue = string | number | null | Uint8Array;

const TRUE = new Uint8Array([1]);
const FALSE = new Uint8Array([0]);
const PATH = /^[A-Za-z_]\w*(\.\w+)*$/;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const CACHE_LIMIT = 2_000;
const checked = new Map<string, readonly string[]>();

/** Throws a TypeError for paths that could reach an object's prototype. */
export function segmentsOf(path: string): readonly string[] {
  const known = checked.get(path);
  if (known) return known;
  const segments = path.split('.');
  if (!PATH.test(path) || segments.some((segment) => FORBIDDEN.has(segment))) throw new TypeError(`not a path: ${JSON.stringify(path)}`);
  if (checked.size >= CACHE_LIMIT) checked.clear();
  checked.set(path, segments);
  return segments;
}

/** Like its SQL equivalent, this does not look inside arrays. */
export function valueAt(doc: unknown, segments: readonly string[]): unknown {
  let value = doc;
  for (const segment of segments) {
    if (!isObject(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `sqlOf` computes the same value in SQL from the document's text. */
export function toSql(value: unknown): SqlValue {
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  return Buffer.from(JSON.stringify(value));
}

export function sqlOf(path: string): string {
  return encoded(`json_type(doc,'$.${path}')`, `doc->>'$.${path}'`);
}

export function encoded(type: string, value: string): string {
  return `CASE ${type} WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'object' THEN x'02' WHEN 'array' THEN x'02' ELSE ${value} END`;
}

/** Use this only for declared specs, never for callers' input. */
export function literal(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? "x'01'" : "x'00'";
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
