import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { pause } from '../../../runtime/clock.ts';
import { ClusterActors, movable } from '../../../runtime/cluster/cluster-actors.ts';
import { localCluster } from '../../../runtime/cluster/local-cluster.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';

const RESTING_MS = 400;

it('an actor that is evicted twice at once drains once, and both callers learn of its end', async () => {
  const { clock, everywhere, drains } = await aNode('one');
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

it('a node that leaves waits for its actors no longer than its limit', async () => {
  const ids = Array.from({ length: 200 }, (_, i) => String(i));
  const { clock, everywhere, drains } = await aNode(...ids);
  const since = clock.monotonic();
  const given = everywhere.evictAll('thing', RESTING_MS * 2).then(() => clock.monotonic() - since);
  await clock.advance(RESTING_MS * 20);
  assert.ok((await given) < RESTING_MS * 3.5, `after ${await given} ms`);
  assert.equal(drains.length, ids.length);
});

it('a node that leaves gives away kind after kind in their drain order, whichever was registered first', async () => {
  const { clock, everywhere, drains, add } = await aNode('one');
  add('late', 9, 'last');
  add('early', 0, 'first');
  await clock.advance(0);
  const given = everywhere.evictEverything(RESTING_MS * 2);
  await clock.advance(RESTING_MS * 10);
  await given;
  assert.deepEqual(drains, ['first', 'one', 'last']);
});

it('everything that should run is known by its kind', async () => {
  const { everywhere, add } = await aNode('one');
  add('late', 9, 'last');
  const wanted = (kind: string, id: string) => ({ kind, id, weight: 1, pinned: null, movable: true });
  assert.deepEqual(await everywhere.wanted(), [wanted('thing', 'one'), wanted('late', 'last')]);
  assert.deepEqual(await everywhere.wanted('late'), [wanted('late', 'last')]);
});

/** A node with actors that are awake, and the order in which they came to rest. */
async function aNode(...ids: readonly string[]) {
  const clock = new VirtualClock();
  const system = new ActorSystem(clock);
  const everywhere = new ClusterActors(system, localCluster({ nodeId: 'a', clock }), clock);
  const drains: string[] = [];
  const add = (kind: string, drainOrder: number, ...here: readonly string[]): void => {
    everywhere.register({
      behaviour: { kind, start: () => [null], handle: (state: null) => [state] },
      policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: () => 10 },
      mailboxLimit: 10,
      wake: (id) => id,
      effectScopes: {},
      effectHandler: () => ({ perform() {} }),
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
  return { clock, everywhere, drains, add };
}
