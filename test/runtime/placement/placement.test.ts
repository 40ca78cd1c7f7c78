import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Host, type Item, type Move, place, rebalance, weightOf } from '../../../runtime/placement/placement.ts';
import { aCluster } from '../cluster/random-cluster.ts';

const CLUSTERS = 400;
const TOLERANCE = 0.1;
/** `SEED=…` replays one. */
const SEEDS = process.env['SEED'] === undefined ? Array.from({ length: CLUSTERS }, (_, i) => i) : [Number(process.env['SEED'])];

describe('placement', () => {
  it('weighs a device by its traffic and its connection', () => {
    assert.deepEqual(
      [0, 59, -1].map((messagesPerMinute) => weightOf({ messagesPerMinute })),
      [1, 60, 1],
    );
  });

  it('spreads unowned devices evenly by weight, whatever the input order', () => {
    const items = [8, 1, 1, 1, 1, 4].map((weight, i) => anItem(`d${i}`, weight, null));
    const homes = place(nodes('a', 'b'), items);
    assert.deepEqual(loads(nodes('a', 'b'), moved(items, homes)), { a: 8, b: 8 });
    assert.deepEqual(place(nodes('b', 'a'), items.toReversed()), homes);
  });

  it("takes a node's other known load into account", () => {
    const hosts: Host[] = [{ id: 'a', state: 'active', load: 5 }, ...nodes('b')];
    const items = Array.from({ length: 7 }, (_, i) => anItem(`d${i}`, 1, null));
    assert.deepEqual(loads(hosts, moved(items, place(hosts, items))), { a: 1, b: 6 });
  });

  it('respects capacity, pins and node states, and places nothing without an active node', () => {
    const hosts: Host[] = [{ id: 'a', state: 'active', capacity: 3 }, ...nodes('b'), { id: 'c', state: 'draining' }];
    const items = Array.from({ length: 8 }, (_, i) => anItem(`d${i}`, 1, null));
    assert.deepEqual(loads(hosts, moved(items, place(hosts, items))), { a: 6, b: 2, c: 0 });
    assert.equal(place(hosts, [{ ...items[0]!, pinned: 'b' }]).get('d0'), 'b');
    assert.equal(place(hosts, [{ ...items[0]!, pinned: 'c' }]).get('d0'), 'a');
    assert.equal(place([hosts[2]!], items).size, 0);
  });

  it('gives a new node its share and leaves all other devices in place', () => {
    const items = Array.from({ length: 30 }, (_, i) => anItem(`d${i}`, 1, i % 2 ? 'a' : 'b'));
    const moves = rebalance(nodes('a', 'b', 'c'), items);
    assert.deepEqual([...new Set(moves.map(({ to, why }) => `${to} ${why}`))], ['c balance']);
    assert.ok(moves.length === 9 || moves.length === 10, `${moves.length} moves`);
  });

  it("spreads a lost node's devices over the remaining nodes", () => {
    const items = Array.from({ length: 30 }, (_, i) => anItem(`d${i}`, 1, ['a', 'b', 'lost'][i % 3]!));
    assert.deepEqual(loads(nodes('a', 'b'), moved(items, place(nodes('a', 'b'), items))), { a: 15, b: 15 });
  });

  it('empties a draining node except for immovable devices, and respects pins to active nodes', () => {
    const hosts: Host[] = [...nodes('a', 'b'), { id: 'c', state: 'draining' }];
    const items: Item[] = [
      anItem('moves', 1, 'c'),
      { ...anItem('pairing', 1, 'c'), movable: false },
      { ...anItem('pinned', 9, 'c'), pinned: 'b' },
      { ...anItem('stays', 1, 'c'), pinned: 'c' },
      { ...anItem('home', 1, 'b'), pinned: 'a' },
    ];
    assert.deepEqual(
      rebalance(hosts, items)
        .map(({ item, to, why }) => `${item} → ${to}: ${why}`)
        .sort(),
      ['home → a: pinned', 'moves → a: drain', 'pinned → b: pinned', 'stays → a: drain'],
    );
  });

  it('does nothing if no node can accept devices', () => {
    assert.deepEqual(rebalance([{ id: 'a', state: 'draining' }], [anItem('d', 1, 'a')]), []);
  });
});

describe(`placement of ${CLUSTERS} random clusters`, () => {
  for (const [title, check] of Object.entries({
    'ends balanced, with every movable item on an active node or on the node it is pinned to': endsInBalance,
    'leaves a balanced cluster unchanged': leavesBalanceAlone,
    'never moves an immovable item, and moves no item twice': movesOnlyMovables,
    'reduces the difference between two nodes with each balancing move': narrowsGaps,
    'makes almost no unnecessary moves for devices of equal weight': takesFewestMovesOfEquals,
    'does not depend on the order of nodes and items': dependsOnNoOrder,
  }))
    it(title, () => {
      for (const seed of SEEDS) {
        const { hosts, items } = aCluster(seed);
        assert.doesNotThrow(() => check(hosts, items), `SEED=${seed}`);
      }
    });

  it('makes fewer than twice the minimum number of moves', () => {
    const all = SEEDS.map(aCluster).map(({ hosts, items }) =>
      movesAndFewest(
        hosts,
        items.map(({ id, weight, owner }) => anItem(id, weight, owner)),
      ),
    );
    const [moves, fewest] = [total(all.map(([one]) => one)), total(all.map(([, one]) => one))];
    assert.ok(moves < 2 * fewest || SEEDS.length < CLUSTERS, `${moves} moves, ${fewest} might do`);
  });
});

function endsInBalance(hosts: readonly Host[], items: readonly Item[]): void {
  const after = balanced(hosts, items);
  const active = new Set(hosts.filter(({ state }) => state === 'active').map(({ id }) => id));
  for (const { id, owner, pinned, movable } of after) {
    if (movable === false) continue;
    assert.ok(active.has(owner!), `${id} ended on ${owner}`);
    if (active.has(pinned ?? '')) assert.equal(owner, pinned);
  }
  assert.deepEqual(helpfulMoves(hosts, after), []);
}

function leavesBalanceAlone(hosts: readonly Host[], items: readonly Item[]): void {
  assert.deepEqual(rebalance(hosts, balanced(hosts, items)), []);
}

function movesOnlyMovables(hosts: readonly Host[], items: readonly Item[]): void {
  const placed = moved(items, place(hosts, items));
  const moves = rebalance(hosts, placed);
  const byId = new Map(placed.map((item) => [item.id, item]));
  for (const { item } of moves) assert.notEqual(byId.get(item)!.movable, false);
  assert.equal(new Set(moves.map(({ item }) => item)).size, moves.length);
}

function narrowsGaps(hosts: readonly Host[], items: readonly Item[]): void {
  const moves = rebalance(hosts, moved(items, place(hosts, items)));
  let now = carriedOut(
    moved(items, place(hosts, items)),
    moves.filter(({ why }) => why !== 'balance'),
  );
  for (const move of moves.filter(({ why }) => why === 'balance')) {
    const helpful = helpfulMoves(hosts, now, 0);
    assert.ok(helpful.includes(`${move.item}: ${move.from} → ${move.to}`), JSON.stringify(move));
    now = carriedOut(now, [move]);
  }
}

/** Devices of equal weight: hardly a move is wasted. */
function takesFewestMovesOfEquals(hosts: readonly Host[], items: readonly Item[]): void {
  const [moves, fewest] = movesAndFewest(
    hosts,
    items.map(({ id, owner }) => anItem(id, 1, owner)),
  );
  assert.ok(moves <= 1.5 * fewest + hosts.length, `${moves} moves, ${fewest} might do`);
}

/** How many moves balance took, and how many it takes at least whatever one does. */
function movesAndFewest(hosts: readonly Host[], items: readonly Item[]): [number, number] {
  const placed = moved(items, place(hosts, items));
  const moves = rebalance(hosts, placed);
  const forced = moves.filter(({ why }) => why !== 'balance');
  return [moves.length - forced.length, fewestMoves(hosts, carriedOut(placed, forced))];
}

function dependsOnNoOrder(hosts: readonly Host[], items: readonly Item[]): void {
  assert.deepEqual(place(hosts.toReversed(), items.toReversed()), place(hosts, items));
  const placed = moved(items, place(hosts, items));
  assert.deepEqual(rebalance(hosts.toReversed(), placed.toReversed()), rebalance(hosts, placed));
}

const anItem = (id: string, weight: number, owner: string | null): Item => ({ id, weight, owner });
const nodes = (...ids: string[]): Host[] => ids.map((id) => ({ id, state: 'active' }));
const moved = (items: readonly Item[], homes: ReadonlyMap<string, string>): Item[] =>
  items.map((item) => ({ ...item, owner: homes.get(item.id) ?? item.owner }));
const carriedOut = (items: readonly Item[], moves: readonly Move[]): Item[] =>
  moved(items, new Map(moves.map(({ item, to }) => [item, to])));

/** Two moves at a time, each time asking anew. */
function balanced(hosts: readonly Host[], items: readonly Item[]): Item[] {
  let now = moved(items, place(hosts, items));
  for (let rounds = 0; rounds < 1_000; rounds += 1) {
    const moves = rebalance(hosts, now, { most: 2 });
    if (moves.length === 0) return now;
    now = carriedOut(now, moves);
  }
  throw new Error('no end of moves');
}

function loads(hosts: readonly Host[], items: readonly Item[]): Record<string, number> {
  const sum = (id: string): number => items.filter(({ owner }) => owner === id).reduce((total, { weight }) => total + weight, 0);
  return Object.fromEntries(hosts.map(({ id }) => [id, sum(id)]));
}

function levels(hosts: readonly Host[], items: readonly Item[]) {
  const load = loads(hosts, items);
  const active = hosts.filter(({ state }) => state === 'active').map(({ id, capacity = 1 }) => ({ id, capacity, load: load[id]! }));
  const average = active.reduce((sum, one) => sum + one.load, 0) / active.reduce((sum, one) => sum + one.capacity, 0);
  return { active, average };
}

/** Items whose move would narrow a gap that is wider than the tolerance. */
function helpfulMoves(hosts: readonly Host[], items: readonly Item[], tolerance = TOLERANCE): string[] {
  const { active, average } = levels(hosts, items);
  const isActive = (id: string | null | undefined): boolean => active.some((one) => one.id === id);
  return active.flatMap((from) =>
    active.flatMap((to) => {
      const gap = from.load / from.capacity - to.load / to.capacity;
      const isLoose = ({ owner, movable, pinned }: Item): boolean => owner === from.id && movable !== false && !isActive(pinned);
      const below = gap * Math.min(from.capacity, to.capacity) - 1e-6;
      if (gap <= tolerance * average + 1e-6) return [];
      return items
        .filter((item) => isLoose(item) && item.weight > 0 && item.weight < below)
        .map(({ id }) => `${id}: ${from.id} → ${to.id}`);
    }),
  );
}

function fewestMoves(hosts: readonly Host[], items: readonly Item[]): number {
  const { active, average } = levels(hosts, items);
  const heaviest = items.filter(({ movable }) => movable !== false).sort((a, b) => b.weight - a.weight);
  const leaving = active.map((one) =>
    count(
      one.load - (1 + TOLERANCE) * average * one.capacity,
      heaviest.filter(({ owner }) => owner === one.id),
    ),
  );
  const coming = active.map((one) =>
    count(
      (1 - TOLERANCE) * average * one.capacity - one.load,
      heaviest.filter(({ owner }) => owner !== one.id),
    ),
  );
  return Math.max(total(leaving), total(coming));
}

function count(excess: number, heaviest: readonly Item[]): number {
  let rest = excess;
  let items = 0;
  for (const { weight } of heaviest) {
    if (rest <= 0) break;
    rest -= weight;
    items += 1;
  }
  return items;
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
