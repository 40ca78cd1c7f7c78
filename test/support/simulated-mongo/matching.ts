/** Evaluates filters and sorts of `store/port.ts` as MongoDB does. */
import { isObject, segmentsOf, valueAt } from '../../../store/engines/embedded/paths.ts';
import { assertStorable } from '../../../store/engines/embedded/storable.ts';
import type { Filter, Sort } from '../../../store/port.ts';

type Test = (doc: unknown) => boolean;

/** Returns a predicate for documents. Throws a TypeError for an invalid filter. */
export function testOf(filter: Filter): Test {
  if (!isObject(filter)) throw new TypeError('not a filter');
  const tests = Object.entries(filter).map(([path, wanted]) => testOfEntry(path, wanted));
  return (doc) => tests.every((test) => test(doc));
}

function testOfEntry(path: string, wanted: unknown): Test {
  if (path === '$or') {
    const some = listOf(path, wanted).map(testOf);
    return (doc) => some.some((test) => test(doc));
  }
  if (path === '$and') {
    const all = listOf(path, wanted).map(testOf);
    return (doc) => all.every((test) => test(doc));
  }
  const segments = segmentsOf(path);
  const conditions = conditionsOf(path, wanted);
  return (doc) => {
    const stored = valueAt(doc, segments);
    return conditions.every((holds) => holds(stored));
  };
}

function listOf(path: string, wanted: unknown): readonly Filter[] {
  if (!Array.isArray(wanted) || wanted.length === 0) throw new TypeError(`${path} needs a list`);
  return wanted;
}

type Holds = (stored: unknown) => boolean;

const OPERATORS: Readonly<Record<string, (bound: unknown) => Holds>> = {
  $eq: (bound) => (stored) => isEqual(stored, bound),
  $ne: (bound) => (stored) => !isEqual(stored, bound),
  $gt: (bound) => ordered(bound, (order) => order > 0),
  $gte: (bound) => ordered(bound, (order) => order >= 0),
  $lt: (bound) => ordered(bound, (order) => order < 0),
  $lte: (bound) => ordered(bound, (order) => order <= 0),
  $in: (bound) => oneOf(bound),
  $nin: (bound) => {
    const isOne = oneOf(bound);
    return (stored) => !isOne(stored);
  },
  $exists: (bound) => (stored) => (stored !== undefined) === bound,
};

function conditionsOf(path: string, wanted: unknown): readonly Holds[] {
  if (!isObject(wanted)) {
    if (Array.isArray(wanted)) throw new TypeError(`${path} needs $eq`);
    assertStorable(wanted, path);
    return [(stored) => isEqual(stored, wanted)];
  }
  const entries = Object.entries(wanted);
  if (entries.length === 0) throw new TypeError(`${path} needs a condition`);
  return entries.map(([operator, bound]) => {
    const make = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (!make) throw new TypeError(`${path} has no such condition: ${operator}`);
    assertStorable(bound, path);
    return make(bound);
  });
}

function oneOf(bound: unknown): Holds {
  if (!Array.isArray(bound)) throw new TypeError('$in needs a list');
  const wanted = new Set<unknown>(bound);
  const isOne: Holds = (stored) => wanted.has(stored) || (Array.isArray(stored) && stored.some((item) => wanted.has(item)));
  return wanted.has(null) ? (stored) => stored === undefined || isOne(stored) : isOne;
}

function isEqual(stored: unknown, wanted: unknown): boolean {
  if (stored === wanted) return true;
  if (wanted === null) return stored === undefined || (Array.isArray(stored) && stored.includes(null));
  if (typeof wanted !== 'object') return Array.isArray(stored) && stored.includes(wanted);
  return isSame(stored, wanted) || (Array.isArray(stored) && stored.some((item) => isSame(item, wanted)));
}

const isSame = (a: unknown, b: unknown): boolean => typeof a === 'object' && a !== null && JSON.stringify(a) === JSON.stringify(b);

/** A comparison matches only values of the same type. A list matches if one item does. */
function ordered(bound: unknown, fits: (order: number) => boolean): Holds {
  const isOne = (value: unknown): boolean =>
    typeof value === typeof bound && (typeof value === 'number' || typeof value === 'string') && fits(compare(value, bound));
  return (stored) => isOne(stored) || (Array.isArray(stored) && stored.some(isOne));
}

/** Returns a comparator for documents. */
export function orderOf(sort: Sort): (a: unknown, b: unknown) => number {
  const keys = Object.entries(sort).map(([path, direction]) => ({ segments: segmentsOf(path), direction }));
  return (a, b) => {
    for (const { segments, direction } of keys) {
      const order = compare(valueAt(a, segments), valueAt(b, segments));
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}

/** Ranks types in sort order: missing values, numbers, strings, objects, lists, booleans. */
function rankOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (Array.isArray(value)) return 4;
  return ['number', 'string', 'object', '', 'boolean'].indexOf(typeof value) + 1;
}

function compare(a: unknown, b: unknown): number {
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0 || typeof a !== typeof b) return ranks;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return typeof a === 'number' || typeof a === 'boolean' ? Number(a) - Number(b) : 0;
}

/** Compares by code point: characters written as surrogate pairs come after all others. */
function compareTexts(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one === other) continue;
    const difference = Number(isSurrogate(one)) - Number(isSurrogate(other));
    return difference === 0 ? one - other : difference;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
