/**
 * Reads fields of requests written for other gateways. Those gateways ignore unknown fields and
 * accept numbers and flags as strings, so nothing is rejected here. A field of another type is
 * treated as absent.
 */

import { memberOf } from '../../runtime/shapes.ts';

export const at = (value: unknown, ...path: readonly string[]): unknown => path.reduce<unknown>(memberOf, value);

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
