/**
 * Reads members of bodies that other programs write. Those APIs ignore unknown fields and write
 * numbers and flags as strings, so nothing is rejected here; a member of another type counts as
 * absent.
 */

import { memberOf } from '../../runtime/shapes.ts';

/** The member at this path; undefined if the path does not exist. */
export const at = (value: unknown, ...path: readonly string[]): unknown => path.reduce<unknown>(memberOf, value);

/** A non-empty string; numbers are converted to strings. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = Number(textAt(value, ...path) ?? Number.NaN);
  return Number.isFinite(found) ? found : undefined;
}

export const isTrueAt = (value: unknown, ...path: readonly string[]): boolean => String(at(value, ...path)) === 'true';

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

export const textsAt = (value: unknown, ...path: readonly string[]): readonly string[] =>
  listAt(value, ...path).filter((one) => typeof one === 'string');
