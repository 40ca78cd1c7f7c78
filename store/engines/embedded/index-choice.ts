/**
 * Chooses the declared index for a query, which SQLite is given with `INDEXED BY`. Without
 * statistics, SQLite's planner rates all indexes with the same first column alike, and may read and
 * sort everything that one of them finds. The rule here needs no statistics. It takes a unique
 * index if the filter lists values for all its keys. Otherwise it takes the index that gives the
 * sort order, unless more equalities bind another index. Without a sort, it takes a partial index
 * if as many equalities bind it as any other.
 */

import type { Filter, Sort } from '../../port.ts';
import { implies } from './filter.ts';
import type { Layout, TableIndex } from './layout.ts';
import { isObject } from './paths.ts';

export interface IndexChoice {
  readonly index: TableIndex | null;
  /**
   * True if sorting is cheap, because at most as many rows can match as the filter lists values.
   */
  readonly isBounded: boolean;
}

type Demands = ReadonlyMap<string, readonly (readonly [op: string, value: unknown])[]>;

export function indexFor(layout: Layout, filter: Filter, sort: Sort | undefined): IndexChoice {
  const demands = demandsOf(filter);
  if (isBound(demands, '_id') || findsNothing(demands)) return { index: null, isBounded: true };
  const usable = layout.indexes.filter((index) => covers(demands, index));
  const listed = usable.find((index) => index.spec.unique && boundKeys(demands, index) === index.keys.length);
  if (listed) return { index: listed, isBounded: true };
  const most = Math.max(0, ...usable.map((index) => boundKeys(demands, index)));
  const order = sort && Object.keys(sort).length > 0 ? sort : null;
  const fit = usable.filter((index) => boundKeys(demands, index) === most && (order ? gives(demands, index, order) : isPartial(index)));
  const [index] = fit.toSorted((a, b) => Number(isPartial(b)) - Number(isPartial(a)) || a.keys.length - b.keys.length);
  return { index: index ?? null, isBounded: false };
}

function demandsOf(filter: Filter): Demands {
  const demands = new Map<string, (readonly [string, unknown])[]>();
  collect(filter, demands);
  return demands;
}

function collect(filter: Filter, demands: Map<string, (readonly [string, unknown])[]>): void {
  for (const [path, value] of Object.entries(filter)) {
    if (path === '$and') for (const branch of filter.$and ?? []) collect(branch, demands);
    else if (!path.startsWith('$'))
      demands.set(path, [...(demands.get(path) ?? []), ...(isObject(value) ? Object.entries(value) : [['$eq', value] as const])]);
  }
}

const findsNothing = (demands: Demands): boolean =>
  [...demands.values()].flat().some(([op, value]) => op === '$in' && Array.isArray(value) && value.length === 0);
const isBound = (demands: Demands, path: string): boolean => demands.get(path)?.some(([op]) => op === '$eq' || op === '$in') ?? false;
const isEqual = (demands: Demands, path: string): boolean => demands.get(path)?.some(([op]) => op === '$eq') ?? false;
const isPartial = ({ terms, present }: TableIndex): boolean => terms.length + present.length > 0;

function covers(demands: Demands, { terms, present }: TableIndex): boolean {
  return (
    terms.every(([path, term]) => demands.get(path)?.some(([op, value]) => implies(op, value, term))) &&
    present.every((path) => demands.get(path)?.some(([op, value]) => op.startsWith('$gt') || op.startsWith('$lt') || isSome(op, value)))
  );
}

const isSome = (op: string, value: unknown): boolean => op === '$eq' && value !== null;

function boundKeys(demands: Demands, { keys }: TableIndex): number {
  const first = keys.findIndex(([path]) => !isBound(demands, path));
  return first === -1 ? keys.length : first;
}

function gives(demands: Demands, { keys }: TableIndex, sort: Sort): boolean {
  const wanted = Object.entries(sort).filter(([path]) => !isEqual(demands, path));
  const rest = keys.slice(keys.findIndex(([path]) => !isEqual(demands, path)));
  const turned = wanted.map(([path, direction], nth) => (rest[nth]?.[0] === path ? direction * rest[nth][1] : 0));
  return turned.every((one) => one !== 0 && one === turned[0]);
}
