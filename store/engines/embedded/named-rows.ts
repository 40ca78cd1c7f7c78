import { memberOf } from '../../../runtime/shapes.ts';
import type { Filter } from '../../port.ts';

/** Filters with more ids than this are evaluated by SQLite. */
const MAX_IDS = 50;

type Judge = (value: unknown, operand: unknown) => boolean;

/** Compares only values of the same type, and strings by code point as SQLite does. */
const compared = (isSo: (order: number) => boolean): Judge => {
  return (value, operand) => {
    if (typeof value === 'number' && typeof operand === 'number') return isSo(value - operand);
    return typeof value === 'string' && typeof operand === 'string' && isSo(Buffer.compare(Buffer.from(value), Buffer.from(operand)));
  };
};

const JUDGES: Readonly<Record<string, Judge>> = {
  $lt: compared((order) => order < 0),
  $lte: compared((order) => order <= 0),
  $gt: compared((order) => order > 0),
  $gte: compared((order) => order >= 0),
  $in: (value, operand) => Array.isArray(operand) && operand.includes(value),
};

/** Returns null if `fits` cannot evaluate the filter's other conditions. */
export function namedIds(filter: Filter, isPlain: (path: string) => boolean): readonly string[] | null {
  const ids = idsOf(filter['_id']);
  if (ids === null) return null;
  for (const path in filter) if (path !== '_id' && !(isJudged(filter[path]) && isPlain(path))) return null;
  return ids;
}

export function fits(doc: object, filter: Filter): boolean {
  for (const path in filter) if (path !== '_id' && !isTrueOf(memberOf(doc, path), filter[path])) return false;
  return true;
}

function isTrueOf(value: unknown, asked: unknown): boolean {
  if (typeof asked !== 'object' || asked === null) return value === asked;
  return Object.entries(asked).every(([op, operand]) => JUDGES[op]?.(value, operand) ?? false);
}

function isJudged(asked: unknown): boolean {
  if (typeof asked !== 'object' || asked === null) return typeof asked === 'string' || typeof asked === 'boolean' || Number.isFinite(asked);
  const conditions = Object.entries(asked);
  return (
    conditions.length > 0 &&
    conditions.every(
      ([op, operand]) => op in JUDGES && (op === '$in' ? areTexts(operand) : typeof operand === 'string' || Number.isFinite(operand)),
    )
  );
}

function idsOf(asked: unknown): readonly string[] | null {
  if (typeof asked === 'string') return [asked];
  const ids = memberOf(asked, '$in');
  if (!areTexts(ids) || ids.length > MAX_IDS || Object.keys(Object(asked)).length !== 1) return null;
  return ids.length === 1 ? ids : [...new Set(ids)].toSorted();
}

const areTexts = (values: unknown): values is readonly string[] =>
  Array.isArray(values) && values.every((value) => typeof value === 'string');
