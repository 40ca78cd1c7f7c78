import { Carrier, type Host, type Item, lighterFirst, type Move } from './carrier.ts';

export interface NodeLoads {
  readonly all: readonly Carrier[];
  readonly actives: ReadonlyMap<string, Carrier>;
  readonly homeless: readonly Item[];
  readonly settled: Set<string>;
}

export function nodeLoadsOf(hosts: readonly Host[], items: readonly Item[]): NodeLoads {
  const all = hosts.map((host) => new Carrier(host)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const byId = new Map(all.map((carrier) => [carrier.id, carrier]));
  const homeless: Item[] = [];
  for (const item of items) {
    const owner = byId.get(item.owner ?? '');
    if (owner) owner.take(item);
    else homeless.push(item);
  }
  const actives = new Map(all.filter(({ state }) => state === 'active').map((carrier) => [carrier.id, carrier]));
  return { all, actives, homeless: homeless.sort(lighterFirst).reverse(), settled: new Set() };
}

export function leastLoaded(nodeLoads: NodeLoads, item: Item): Carrier | null {
  let best: Carrier | null = null;
  for (const carrier of nodeLoads.actives.values()) if (best === null || carrier.wouldCarryLess(best, item.weight)) best = carrier;
  return best;
}

export function balance(nodeLoads: NodeLoads, tolerance: number): Move | null {
  const byLevel = [...nodeLoads.actives.values()].sort((a, b) => a.level - b.level);
  const average = sum(byLevel, ({ load }) => load) / sum(byLevel, ({ capacity }) => capacity);
  for (const from of byLevel.toReversed())
    for (const to of byLevel) {
      if (from.level - to.level <= tolerance * average) break;
      const item = bestBetween(from, to, average, nodeLoads);
      if (item === null) continue;
      nodeLoads.settled.add(item.id);
      return from.give(item, to, 'balance');
    }
  return null;
}

/** Without this factor, a rounding error could allow a move that merely swaps two nodes' loads. */
const ALMOST = 1 - 1e-9;

/** Neither node may end up with more than the other's former load. */
function bestBetween(from: Carrier, to: Carrier, average: number, nodeLoads: NodeLoads): Item | null {
  const gap = from.level - to.level;
  const meeting = (gap * from.capacity * to.capacity) / (from.capacity + to.capacity);
  const excess = from.load - average * from.capacity;
  const room = average * to.capacity - to.load;
  const aim = Math.min(...[meeting, excess, room].filter((weight) => weight > 0));
  const isFree = ({ id, pinned }: Item): boolean => !nodeLoads.settled.has(id) && !nodeLoads.actives.has(pinned ?? '');
  return from.nearest(aim, gap * Math.min(from.capacity, to.capacity) * ALMOST, isFree);
}

const sum = (carriers: readonly Carrier[], of: (carrier: Carrier) => number): number =>
  carriers.reduce((total, carrier) => total + of(carrier), 0);
