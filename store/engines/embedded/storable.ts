import { isObject } from './paths.ts';

/** Throws a TypeError for values that JSON and BSON store differently, such as NaN and dates. */
export function assertStorable(value: unknown, path: string): void {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (Array.isArray(value)) return assertItems(value, path);
  if (!isPlain(value))
    throw new TypeError(`${path || 'a document'} cannot be stored: ${typeof value === 'object' ? 'not plain JSON' : String(value)}`);
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || key.startsWith('$')) throw new TypeError(`a field cannot be named ${key}`);
    assertStorable(value[key], key);
  }
}

function assertItems(items: readonly unknown[], path: string): void {
  for (const item of items) assertStorable(item, path);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
