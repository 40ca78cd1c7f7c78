import { present } from '../invariant.ts';
import type { Host, Item, Move } from './carrier.ts';
import { balance, leastLoaded, type NodeLoads, nodeLoadsOf } from './node-loads.ts';

export type { Host, Item, Move };

export interface RebalanceLimits {
  /** At most so many moves; the next call continues where this one ended. */
  readonly most?: number;
  /** Differences of load up to this part of the average are accepted; default 0.1. */
  readonly tolerance?: number;
}

const TOLERANCE = 0.1;

/** The weight of a device: its connection counts as much as one message a minute. */
export function weightOf({ messagesPerMinute }: { readonly messagesPerMinute: number }): number {
  return 1 + Math.max(0, messagesPerMinute);
}

/**
 * Where each item that nobody runs should go: to its pin, else to the node least loaded for its capacity, the heaviest first. Depends on
 * nothing but its arguments, not even on their order. Empty while no node is active.
 */
export function place(hosts: readonly Host[], items: readonly Item[]): Map<string, string> {
  const nodeLoads = nodeLoadsOf(hosts, items);
  const homes = new Map<string, string>();
  const pinOf = ({ pinned }: Item) => nodeLoads.actives.get(pinned ?? '');
  const pinnedFirst = nodeLoads.homeless.toSorted((a, b) => Number(!pinOf(a)) - Number(!pinOf(b)));
  for (const item of pinnedFirst) {
    const home = pinOf(item) ?? leastLoaded(nodeLoads, item);
    if (home === null) break;
    home.take(item);
    homes.set(item.id, home.id);
  }
  return homes;
}

/**
 * The moves towards a cluster in which every node carries its share: first pinned items to their pins, then everything movable off
 * draining nodes, then the fewest moves until no two nodes' loads (for their capacity) differ by more than `tolerance` of the average, or no
 * single move would bring them closer. No item moves twice; a balanced cluster gives no moves. Carried out in part and asked again, it ends.
 */
export function rebalance(hosts: readonly Host[], items: readonly Item[], limits: RebalanceLimits = {}): Move[] {
  const { most = Number.POSITIVE_INFINITY, tolerance = TOLERANCE } = limits;
  const nodeLoads = nodeLoadsOf(hosts, items);
  if (nodeLoads.actives.size === 0) return [];
  const moves = new Map<string, Move>();
  for (const move of [...toTheirPins(nodeLoads), ...offDraining(nodeLoads)]) moves.set(move.item, move);
  for (let move = balance(nodeLoads, tolerance); move !== null && moves.size < most; move = balance(nodeLoads, tolerance)) {
    const earlier = moves.get(move.item);
    moves.set(move.item, earlier ? { ...earlier, to: move.to } : move);
  }
  return [...moves.values()].slice(0, most);
}

function toTheirPins({ all, actives }: NodeLoads): Move[] {
  const moves: Move[] = [];
  for (const from of all)
    for (const item of from.looseItems()) {
      const pin = actives.get(item.pinned ?? '');
      if (pin && pin !== from) moves.push(from.give(item, pin, 'pinned'));
    }
  return moves;
}

function offDraining(nodeLoads: NodeLoads): Move[] {
  const draining = nodeLoads.all.filter(({ state }) => state === 'draining');
  return draining.flatMap((from) =>
    from.looseItems().map((item) => from.give(item, present(leastLoaded(nodeLoads, item), 'an active node'), 'drain')),
  );
}
