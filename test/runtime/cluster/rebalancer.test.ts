import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pause } from '../../../runtime/clock.ts';
import type { Wanted } from '../../../runtime/cluster/cluster-actors.ts';
import { leaseKey } from '../../../runtime/cluster/leased-actor.ts';
import type { Cluster, Lease, Member } from '../../../runtime/cluster/port.ts';
import { Rebalancer } from '../../../runtime/cluster/rebalancer.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';

const POLL_MS = 1_000;

it('the rebalancer places unowned devices, and moves owned devices only if the load is still unbalanced', async () => {
  const scene = aScene({ a: 5, b: 1, nobody: 4 });
  await scene.look();
  assert.deepEqual(
    scene.taken.map(({ to }) => to),
    ['b', 'b', 'b', 'b'],
  );
  assert.deepEqual(scene.moved, []);
});

it('the rebalancer moves only a few devices at a time, until every node has its share', async () => {
  const scene = aScene({ a: 12, b: 0 });
  await scene.look();
  assert.deepEqual(
    scene.moved.map(({ to }) => to),
    ['b', 'b', 'b'],
  );
  await scene.look();
  assert.equal(scene.moved.length, 6);
  await scene.look();
  assert.equal(scene.moved.length, 6);
});

it("the rebalancer balances devices' traffic, not their number", async () => {
  const scene = aScene({ a: 6, b: 1 }, (id) => (id === 'b0' ? { weight: 6 } : {}));
  await scene.look();
  assert.deepEqual(scene.moved, []);
});

it('the rebalancer moves only devices that are marked as movable', async () => {
  const scene = aScene({ a: 4, b: 0 }, (id) => ({ movable: id === 'a3' }));
  await scene.look();
  assert.deepEqual(scene.moved, [{ id: 'a3', to: 'b' }]);
});

it('the rebalancer does not place or move devices unless it holds the rebalancing lease', async () => {
  const scene = aScene({ a: 4, b: 0, nobody: 3 }, () => ({}), { holdsLease: false });
  await scene.look();
  assert.deepEqual([scene.taken, scene.moved], [[], []]);
});

it('the rebalancer checks the balance often while devices need to move, and rarely otherwise', async () => {
  const busy = aScene({ a: 60, b: 0 });
  const calm = aScene({ a: 6, b: 6 });
  for (let second = 0; second < 10; second += 1) for (const scene of [busy, calm]) await scene.look();
  assert.deepEqual([busy.looks(), calm.looks()], [10, 2]);
});

it('the rebalancer wakes 500 actors per node at a time, and continues if the first ones never wake', async () => {
  const scene = aScene({ a: 0, b: 0, nobody: 3_200 }, () => ({}), { wakes: (id) => Number(id.slice('nobody'.length)) >= 1_200 });
  await scene.look();
  assert.equal(scene.taken.length, 1_000);
  for (let second = 0; second < 20; second += 1) await scene.look();
  assert.equal(new Set(scene.taken.map(({ id }) => id)).size, 3_200);
});

it('the rebalancer waits four times as long as a check took before it checks again', async () => {
  const scene = aScene({ a: 6, b: 6 }, () => ({}), { answersAfterMs: 3_000 });
  for (let second = 0; second < 40; second += 1) await scene.look();
  assert.equal(scene.looks(), 3);
});

it('the rebalancer releases the lease if a check gets no response, and tries again later', async () => {
  const failures: unknown[] = [];
  const unanswered = [new Promise<void>(() => {})];
  const scene = aScene({ a: 1, b: 0, nobody: 1 }, () => ({}), {
    answers: async () => unanswered.pop(),
    failed: (cause) => void failures.push(cause),
  });
  for (let second = 0; second < 29; second += 1) await scene.look();
  assert.deepEqual([scene.looks(), scene.released()], [1, 0]);
  for (let second = 0; second < 2; second += 1) await scene.look();
  assert.deepEqual([scene.looks(), scene.released()], [1, 1], 'the others come first');
  assert.equal(failures.length, 1);
  for (let second = 0; second < 5; second += 1) await scene.look();
  assert.deepEqual(
    scene.taken.map(({ id }) => id),
    ['nobody0'],
  );
});

it('the rebalancer returns its whole plan even if only a few devices move at a time', async () => {
  const { rebalancer, moved } = aScene({ a: 12, b: 0 });
  assert.equal((await rebalancer.plan()).length, 6);
  assert.deepEqual(moved, []);
});

interface Order {
  readonly id: string;
  readonly to: string;
}

/** Nodes with these numbers of actors. Orders to them are carried out immediately. */
function aScene(
  counts: Readonly<Record<string, number>>,
  more: (id: string) => Partial<Wanted> = () => ({}),
  {
    holdsLease = true,
    wakes = (_id: string): boolean => true,
    answers = async (): Promise<void> => {},
    answersAfterMs = 0,
    failed = (cause: unknown): void => assert.fail(String(cause)),
  } = {},
) {
  const clock = new VirtualClock();
  const owners = new Map<string, string | null>();
  const wanted: Wanted[] = Object.entries(counts).flatMap(([node, count]) =>
    Array.from({ length: count }, (_, i) => {
      const id = `${node}${i}`;
      owners.set(leaseKey('device', id), node === 'nobody' ? null : node);
      return { kind: 'device', id, weight: 1, pinned: null, movable: true, ...more(id) };
    }),
  );
  const taken: Order[] = [];
  const moved: Order[] = [];
  let released = 0;
  const order = (list: Order[], id: string, to: string): void => {
    list.push({ id, to });
    if (wakes(id)) owners.set(leaseKey('device', id), to);
  };
  const nodes = Object.keys(counts).filter((node) => node !== 'nobody');
  const rebalancer = new Rebalancer(
    {
      cluster: aCluster(nodes, owners, holdsLease, () => (released += 1)),
      actors: {
        take: (_kind, id, to) => order(taken, id, to),
        move: async (_kind, id, _from, to) => order(moved, id, to),
        async wanted() {
          looks += 1;
          await answers();
          if (answersAfterMs > 0) await pause(clock, answersAfterMs);
          return wanted;
        },
      },
      clock,
      failed,
    },
    { everyMs: POLL_MS, mostMoves: 3 },
  );
  let isStarted = false;
  let looks = 0;
  const look = async (): Promise<void> => {
    if (!isStarted) rebalancer.start();
    await clock.advance(isStarted ? POLL_MS : POLL_MS / 2);
    isStarted = true;
  };
  return { rebalancer, taken, moved, look, looks: () => looks, released: () => released };
}

function aCluster(
  nodes: readonly string[],
  owners: ReadonlyMap<string, string | null>,
  holdsLease: boolean,
  released: () => void,
): Cluster {
  const lease: Lease = { key: 'rebalancer.look', isSafe: () => true, onLost() {} };
  const members = nodes.map((id): Member => ({ id, boot: '1', address: '', started_at: 0, heartbeat_at: 0, state: 'active', load: {} }));
  return {
    name: 'redis',
    self: { id: nodes[0]!, boot: '1' },
    start: async () => {},
    leave: async () => {},
    members: () => members,
    onMembers() {},
    onReplaced() {},
    announce() {},
    leases: {
      acquire: async () => (holdsLease ? lease : null),
      release: async () => released(),
      holders: async (keys) => keys.map((key) => owners.get(key) ?? null),
      held: () => (holdsLease ? [lease] : []),
    },
    wire: { ask: async () => null, tell() {}, broadcast() {}, onBroadcast() {}, serve() {} },
    counting: null,
    ping: async () => {},
  };
}
