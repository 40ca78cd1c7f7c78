import type { Host, Item, Move } from './placement/carrier.ts';
import { balance, type Fleet, fleetOf, leastLoaded } from './placement/fleet.ts';

export type { Host, Item, Move };

export interface RebalanceLimits {
  /** At most so many moves; the next call continues where this one ended. */
  readonly most?: number;
  /** Differences of load up to this part of the average stay; 0.1 unless told otherwise. */
  readonly tolerance?: number;
}

const TOLERANCE = 0.1;

/** What a device weighs: a connection as much as one message a minute. */
export function weightOf({ messagesPerMinute }: { readonly messagesPerMinute: number }): number {
  return 1 + Math.max(0, messagesPerMinute);
}

/**
 * Where each item that nobody runs should go: to its pin, else to the node least loaded for its capacity, the heaviest first. Depends on
 * nothing but its arguments, not even on their order. Empty while no node is active.
 */
export function place(hosts: readonly Host[], items: readonly Item[]): Map<string, string> {
  const fleet = fleetOf(hosts, items);
  const homes = new Map<string, string>();
  const pinOf = ({ pinned }: Item) => fleet.actives.get(pinned ?? '');
  const pinnedFirst = fleet.homeless.toSorted((a, b) => Number(!pinOf(a)) - Number(!pinOf(b)));
  for (const item of pinnedFirst) {
    const home = pinOf(item) ?? leastLoaded(fleet, item);
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
  const fleet = fleetOf(hosts, items);
  if (fleet.actives.size === 0) return [];
  const moves = new Map<string, Move>();
  for (const move of [...toTheirPins(fleet), ...offDraining(fleet)]) moves.set(move.item, move);
  for (let move = balance(fleet, tolerance); move !== null && moves.size < most; move = balance(fleet, tolerance)) {
    const earlier = moves.get(move.item);
    moves.set(move.item, earlier ? { ...earlier, to: move.to } : move);
  }
  return [...moves.values()].slice(0, most);
}

function toTheirPins({ all, actives }: Fleet): Move[] {
  const moves: Move[] = [];
  for (const from of all)
    for (const item of from.looseItems()) {
      const pin = actives.get(item.pinned ?? '');
      if (pin && pin !== from) moves.push(from.give(item, pin, 'pinned'));
    }
  return moves;
}

function offDraining(fleet: Fleet): Move[] {
  const draining = fleet.all.filter(({ state }) => state === 'draining');
  return draining.flatMap((from) => from.looseItems().map((item) => from.give(item, leastLoaded(fleet, item)!, 'drain')));
}
