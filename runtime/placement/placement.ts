/**
 * Decides which node runs which item. `place` chooses nodes for items that are not running, and
 * `rebalance` plans moves. Both are pure functions of the nodes and items; the rebalancer carries
 * out the result.
 */

import { present } from '../invariant.ts';
import type { Host, Item, Move } from './carrier.ts';
import { balance, leastLoaded, type NodeLoads, nodeLoadsOf } from './node-loads.ts';

export type { Host, Item, Move };

export interface RebalanceLimits {
  readonly most?: number;
  /** Accepted difference in load, as a fraction of the average. The default is 0.1. */
  readonly tolerance?: number;
}

const TOLERANCE = 0.1;

/** A device's connection counts as much as one message per minute. */
export function weightOf({ messagesPerMinute }: { readonly messagesPerMinute: number }): number {
  return 1 + Math.max(0, messagesPerMinute);
}

/** Places the heaviest items first. The result does not depend on the order of the arguments. */
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

/** Moves pinned items, then items off draining nodes, then as few others as needed; none moves twice. */
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
