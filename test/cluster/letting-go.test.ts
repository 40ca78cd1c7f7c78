import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pause } from '../../runtime/clock.ts';
import { ClusterActors } from '../../runtime/cluster/actors.ts';
import { localCluster } from '../../runtime/cluster/local.ts';
import { ActorSystem } from '../../runtime/system.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const RESTING_MS = 400;

it('an actor that two send away at once rests once, and both hear when it is gone', async () => {
  const { clock, everywhere, rests } = await aNode('one');
  const gone: string[] = [];
  const both = Promise.all([
    everywhere.letGo('thing', 'one', false).then(() => gone.push('steward')),
    everywhere.letGo('thing', 'one', true).then(() => gone.push('node')),
  ]);
  await clock.advance(RESTING_MS - 1);
  assert.deepEqual(gone, []);
  await clock.advance(1);
  await both;
  assert.deepEqual([rests, gone.length], [['one'], 2]);
});

it('a node that leaves waits for its actors no longer than it was told', async () => {
  const ids = Array.from({ length: 200 }, (_, i) => String(i));
  const { clock, everywhere, rests } = await aNode(...ids);
  const since = clock.monotonic();
  const given = everywhere.giveAway('thing', RESTING_MS * 2).then(() => clock.monotonic() - since);
  await clock.advance(RESTING_MS * 20);
  assert.ok((await given) < RESTING_MS * 3.5, `after ${await given} ms`);
  assert.equal(rests.length, ids.length);
});

/** A node with actors that are awake, and the order in which they came to rest. */
async function aNode(...ids: readonly string[]) {
  const clock = new VirtualClock();
  const system = new ActorSystem(clock);
  system.register({
    behaviour: { kind: 'thing', start: () => [null], handle: (state: null) => [state] },
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: () => 10 },
    mailboxLimit: 10,
    wake: (id) => id,
    hands: () => ({ perform() {} }),
  });
  const everywhere = new ClusterActors(system, localCluster({ nodeId: 'a', clock }), clock);
  const rests: string[] = [];
  everywhere.add({
    kind: 'thing',
    async rest(id, _must, timeoutMs) {
      rests.push(id);
      await pause(clock, Math.min(RESTING_MS, timeoutMs));
    },
    gone: async () => {},
  });
  for (const id of ids) system.wake('thing', id);
  await clock.advance(0);
  return { clock, everywhere, rests };
}
