import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { pause } from '../../../runtime/clock.ts';
import { ClusterActors, movable } from '../../../runtime/cluster/cluster-actors.ts';
import { localCluster } from '../../../runtime/cluster/local-cluster.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';

const RESTING_MS = 400;

it('an actor that two callers evict drains only once, and both callers are notified when it has stopped', async () => {
  const { clock, everywhere, drains } = await aNode({}, 'one');
  const gone: string[] = [];
  const both = Promise.all([
    everywhere.evict('thing', 'one', false).then(() => gone.push('rebalancer')),
    everywhere.evict('thing', 'one', true).then(() => gone.push('node')),
  ]);
  await clock.advance(RESTING_MS - 1);
  assert.deepEqual(gone, []);
  await clock.advance(1);
  await both;
  assert.deepEqual([drains, gone.length], [['one'], 2]);
});

it('a leaving node waits only a limited time for its actors to stop', async () => {
  const ids = Array.from({ length: 200 }, (_, i) => String(i));
  const { clock, everywhere, drains } = await aNode({}, ...ids);
  const since = clock.monotonic();
  const given = everywhere.evictAll('thing', RESTING_MS * 2).then(() => clock.monotonic() - since);
  await clock.advance(RESTING_MS * 20);
  assert.ok((await given) < RESTING_MS * 3.5, `after ${await given} ms`);
  assert.equal(drains.length, ids.length);
});

it('the actors on a leaving node are evicted in drain order, regardless of registration order', async () => {
  const { clock, everywhere, drains, add } = await aNode({}, 'one');
  add('late', 9, 'last');
  add('early', 0, 'first');
  await clock.advance(0);
  const given = everywhere.evictEverything(RESTING_MS * 2);
  await clock.advance(RESTING_MS * 10);
  await given;
  assert.deepEqual(drains, ['first', 'one', 'last']);
});

it('actors that are waking up on a leaving node are stopped, and their leases are released', async () => {
  const { clock, cluster, everywhere, drains, started } = await aNode({ wakingMs: 100 }, 'one', 'two');
  await clock.advance(50);
  assert.equal(cluster.leases.held().length, 2);
  const given = everywhere.evictEverything(RESTING_MS);
  await clock.advance(1_000);
  await given;
  assert.deepEqual([cluster.leases.held(), drains, started], [[], [], []], 'and has not begun anything that it would have to finish');
});

it('a leaving node waits only a limited time for actors that are waking up', async () => {
  const { clock, everywhere } = await aNode({ wakingMs: 60_000 }, 'one');
  let isOver = false;
  void everywhere.evictEverything(RESTING_MS).then(() => {
    isOver = true;
  });
  await clock.advance(RESTING_MS);
  assert.ok(isOver);
});

it('an actor that is stopped while waking up passes its lease on to its next incarnation', async () => {
  const { clock, cluster, system, everywhere, started } = await aNode({ wakingMs: 100 }, 'one');
  await clock.advance(50);
  await system.stop('thing', 'one');
  everywhere.take('thing', 'one', 'a');
  await clock.advance(1_000);
  assert.deepEqual(started, ['one']);
  assert.deepEqual(
    cluster.leases.held().map((lease) => [lease.key, lease.isSafe()]),
    [['thing/one', true]],
  );
});

it('a shutdown is complete once all actors are closed and all leases are released', async () => {
  const { clock, cluster, everywhere, closed } = await aNode({ closingMs: 2_000 }, 'one');
  everywhere.take('thing', 'two', 'a');
  await clock.advance(0);
  const down = everywhere.shutdown(5_000).then(() => [...closed]);
  await clock.advance(1_000);
  assert.equal(cluster.leases.held().length, 2, 'what is still open is still its own');
  await clock.advance(1_000);
  assert.deepEqual([await down, cluster.leases.held()], [['one', 'two'], []]);
});

it('a shutdown waits only a limited time for actors that do not close', async () => {
  const { clock, everywhere } = await aNode({ closingMs: 60_000 }, 'one');
  let isOver = false;
  void everywhere.shutdown(5_000).then(() => {
    isOver = true;
  });
  await clock.advance(5_000);
  assert.ok(isOver);
});

it('the actors that should be running can be listed for all kinds or for one kind', async () => {
  const { everywhere, add } = await aNode({}, 'one');
  add('late', 9, 'last');
  const wanted = (kind: string, id: string) => ({ kind, id, weight: 1, pinned: null, movable: true });
  assert.deepEqual(await everywhere.wanted(), [wanted('thing', 'one'), wanted('late', 'last')]);
  assert.deepEqual(await everywhere.wanted('late'), [wanted('late', 'last')]);
});

interface Times {
  readonly wakingMs?: number;
  readonly closingMs?: number;
}

/** A node with actors that are awake, unless that takes time, and the order in which they came to rest and closed. */
async function aNode({ wakingMs = 0, closingMs = 0 }: Times, ...ids: readonly string[]) {
  const clock = new VirtualClock();
  const system = new ActorSystem(clock);
  const cluster = localCluster({ nodeId: 'a', clock });
  const everywhere = new ClusterActors(system, cluster, clock);
  const drains: string[] = [];
  const started: string[] = [];
  const closed: string[] = [];
  const add = (kind: string, drainOrder: number, ...here: readonly string[]): void => {
    everywhere.register({
      behaviour: { kind, start: () => [null], handle: (state: null) => [state] },
      policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: () => 10 },
      mailboxLimit: 10,
      wake: (id) => (wakingMs === 0 ? id : pause(clock, wakingMs).then(() => id)),
      effectScopes: {},
      effectHandler(id) {
        started.push(id);
        return { perform() {}, release: () => (closingMs === 0 ? closed.push(id) : pause(clock, closingMs).then(() => closed.push(id))) };
      },
      lost: { type: 'lost' },
      drainOrder,
      async drain({ id }, _must, timeoutMs) {
        drains.push(id);
        await pause(clock, Math.min(RESTING_MS, timeoutMs));
      },
      wanted: async () => here.map((id) => movable(id, 1)),
    });
    for (const id of here) system.wake(kind, id);
  };
  add('thing', 5, ...ids);
  await clock.advance(0);
  return { clock, cluster, system, everywhere, drains, started, closed, add };
}
