import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Behaviour, type ReplyTo, reply, stop } from '../../../runtime/actor-system/behaviour.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { ClusterActors, movable } from '../../../runtime/cluster/cluster-actors.ts';
import { Rebalancer } from '../../../runtime/cluster/rebalancer.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { aPlacedNode, TTL_MS } from './kinds.ts';

const REBALANCE_MS = 1_000;
const IDS = ['t1', 't2', 't3', 't4'];

it('actors on a killed and restarted node do not run until the old leases have expired', async () => {
  const { clock, start, running } = await aScene();
  const b = await start('b');
  const a = await start('a');
  const both = [a, b];
  for (const id of IDS) a.everywhere.take('thing', id, 'a');
  await clock.advance(REBALANCE_MS * 20);
  assert.ok(running([a]).length > 0, 'it runs some');
  assert.equal(running(both).length, IDS.length);
  const lost = running([a]);
  a.place.kill();
  const again = await start('a');
  await clock.advance(REBALANCE_MS);
  assert.equal(b.homeless(), lost.length);
  assert.deepEqual(
    await b.cluster.leases.holders(lost.map((id) => `thing/${id}`)),
    lost.map(() => null),
  );
  await clock.advance(TTL_MS);
  assert.deepEqual(running([again, b]), IDS);
});

it("a request is sent again if the actor's node was killed and restarted under the same name", async () => {
  const { clock, start } = await aScene();
  const b = await start('b');
  const a = await start('a');
  a.everywhere.take('thing', 't1', 'a');
  await clock.advance(100);
  a.falls();
  const asked = b.everywhere.ref<Hello>('thing', 't1').ask({ type: 'hello' }, 3 * TTL_MS);
  await clock.advance(100);
  a.place.kill();
  await start('a');
  await clock.advance(2 * TTL_MS);
  assert.match(String(await asked), /^hello from [ab]$/);
});

type Hello = { readonly type: 'hello'; readonly replyTo: ReplyTo<string> };

/** Nodes that run things, each with a rebalancer. */
async function aScene() {
  const clock = new VirtualClock();
  const redis = new SimulatedRedis(clock);
  const start = async (id: string) => {
    const { cluster, place } = await aPlacedNode(redis, id);
    const system = new ActorSystem(place.clock);
    const everywhere = new ClusterActors(system, cluster, place.clock);
    let isSilent = false;
    const thing: Behaviour<string, null, Hello, { type: 'lost' }, never> = {
      kind: 'thing',
      start: () => [null],
      handle(_state, msg) {
        if (msg.type === 'lost') return [null, stop];
        return isSilent ? [null] : [null, reply(msg.replyTo, `hello from ${id}`)];
      },
    };
    everywhere.register({
      behaviour: thing,
      policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: () => 10 },
      mailboxLimit: 100,
      wake: (actor) => actor,
      effectScopes: {},
      effectHandler: () => ({ perform() {} }),
      lost: { type: 'lost' },
      drainOrder: 1,
      drain: async () => {},
      wanted: async () => IDS.map((one) => movable(one, 1)),
    });
    let homeless: number | null = null;
    const rebalancer = new Rebalancer(
      {
        cluster,
        actors: everywhere,
        clock: place.clock,
        failed: (cause) => assert.fail(String(cause)),
        seen(count) {
          homeless = count;
        },
      },
      { everyMs: REBALANCE_MS, mostMoves: 3 },
    );
    rebalancer.start();
    await clock.advance(100);
    return {
      cluster,
      place,
      system,
      everywhere,
      homeless: () => homeless,
      /** Questions that reach it from now on are not answered. */
      falls() {
        isSilent = true;
      },
    };
  };
  type Node = Awaited<ReturnType<typeof start>>;
  return { clock, start, running: (nodes: readonly Node[]) => nodes.flatMap(({ system }) => system.awake('thing')).sort() };
}
