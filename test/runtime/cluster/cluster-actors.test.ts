import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Behaviour, type ReplyTo, reply, stop } from '../../../runtime/actor-system/behaviour.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { pause } from '../../../runtime/clock.ts';
import { createCluster } from '../../../runtime/cluster/cluster.ts';
import { ClusterActors } from '../../../runtime/cluster/cluster-actors.ts';
import type { Refusal } from '../../../runtime/errors.ts';
import { before } from '../../../runtime/invariant.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { quiet, TTL_MS } from './kinds.ts';

/** How long an actor takes to let go of what it had open. */
const CLOSING_MS = 400;
const WAKING_MS = 100;

it('requests from any node reach the same actor, and wake it only once', async () => {
  const { nodes, asked } = await aScene('a', 'b');
  const answers = await Promise.all([...nodes, ...nodes].map(({ everywhere }) => asked(everywhere, 1_000)));
  assert.deepEqual(answers.map(({ count }) => count).sort(), [1, 2, 3, 4]);
  assert.equal(new Set(answers.map(({ node }) => node)).size, 1);
});

it('a request to an actor that is moving to another node is answered before it times out', async () => {
  const { clock, nodes, asked, homeOf } = await aScene('a', 'b');
  await asked(nodes[0]!.everywhere, 1_000);
  const [from, to] = homeOf(nodes);
  const moving = from.everywhere.move('counter', 'c1', from.id, to.id);
  await clock.advance(CLOSING_MS / 2);
  const hasty = codeOf(asked(to.everywhere, CLOSING_MS / 10));
  const answers = Promise.all(nodes.map(({ everywhere }) => asked(everywhere, 5_000)));
  await clock.advance(5_000);
  await moving;
  assert.equal(await hasty, 'TIMED_OUT');
  assert.deepEqual(
    (await answers).map(({ node }) => node),
    [to.id, to.id],
  );
});

it("a request to an actor on a lost node fails immediately, and succeeds once the node's lease has expired", async () => {
  const { clock, nodes, asked, homeOf } = await aScene('a', 'b');
  await asked(nodes[0]!.everywhere, 1_000);
  const [from, to] = homeOf(nodes);
  from.place.kill();
  assert.equal(await codeOf(asked(to.everywhere, 1_000)), 'UNAVAILABLE');
  await clock.advance(TTL_MS + 1_000);
  assert.equal((await asked(to.everywhere, 1_000)).node, to.id);
});

it('a request that the actor may already have received is not sent again', async () => {
  const { clock, nodes, asked, homeOf, received } = await aScene('a', 'b');
  await asked(nodes[0]!.everywhere, 1_000);
  const [from, to] = homeOf(nodes);
  const before = received();
  const over = codeOf(to.everywhere.ref<Count>('counter', 'c1').ask({ type: 'fail' }, 1_000));
  await clock.advance(1_000);
  assert.equal(await over, 'UNAVAILABLE');
  assert.equal(received() - before, 1);
  assert.ok(from.system.has('counter', 'c1'));
});

it("requests to one tenant's actors leave capacity for requests to other tenants' actors", async () => {
  const { clock, nodes } = await aScene('a', 'b');
  const [from, to] = [nodes[0]!, nodes[1]!];
  for (const id of ['t1.slow', 't1.other', 't2.quick']) to.everywhere.take('counter', id, to.id);
  await clock.advance(WAKING_MS);
  const of = (id: string) => from.everywhere.ref<Count>('counter', id);
  const slow = Array.from({ length: 1_000 }, () => codeOf(of('t1.slow').ask({ type: 'wait' }, 60_000)));
  await clock.advance(100);
  assert.equal(await codeOf(of('t1.other').ask({ type: 'count' }, 1_000)), 'OVERLOADED');
  assert.equal((await of('t2.quick').ask({ type: 'count' }, 1_000)).node, to.id);
  await clock.advance(60_000);
  assert.equal((await Promise.all(slow)).filter((code) => code !== 'OVERLOADED').length, 100);
  assert.equal((await of('t1.other').ask({ type: 'count' }, 1_000)).node, to.id);
});

it('messages to an actor that is not running are dropped unless they are allowed to wake it', async () => {
  const { clock, nodes, asked } = await aScene('a', 'b');
  const tell = async (wakes: boolean) => {
    for (const { everywhere } of nodes) everywhere.ref<Count>('counter', 'c1', wakes).tell({ type: 'add' });
    await clock.advance(100);
  };
  await tell(false);
  assert.equal((await asked(nodes[0]!.everywhere, 1_000)).count, 1);
  for (const { system } of nodes) await system.stop('counter', 'c1');
  await clock.advance(CLOSING_MS + TTL_MS);
  await tell(true);
  assert.equal((await asked(nodes[0]!.everywhere, 1_000)).count, 3);
});

it('an actor that is still waking up when its node leaves is started on another node', async () => {
  const { clock, nodes, redis } = await aScene('a', 'b');
  const [from, to] = [nodes[0]!, nodes[1]!];
  from.everywhere.take('counter', 'slow', from.id);
  await clock.advance(WAKING_MS / 2);
  assert.equal(from.system.awake('counter').length, 0);
  const left = from.everywhere.evictEverything(1_000);
  await clock.advance(WAKING_MS * 2);
  await left;
  assert.deepEqual(to.system.awake('counter'), ['slow']);
  assert.match(redis.holder('counter/slow') ?? '', /^b/);
});

type Count =
  | { readonly type: 'add' }
  | { readonly type: 'count'; readonly replyTo: ReplyTo<{ count: number; node: string }> }
  | { readonly type: 'fail'; readonly replyTo: ReplyTo<null> }
  /** Never answered. */
  | { readonly type: 'wait'; readonly replyTo: ReplyTo<null> };

interface Lost {
  readonly type: 'lost';
}

/** Nodes that can all run counters; one that fails is restarted, and the caller gets UNAVAILABLE. */
async function aScene(...ids: readonly string[]) {
  const clock = new VirtualClock();
  const redis = new SimulatedRedis(clock);
  let received = 0;
  const behaviourOf = (node: string): Behaviour<string, number, Count, Lost, never> => ({
    kind: 'counter',
    start: () => [0],
    handle(count, msg) {
      if (msg.type === 'lost') return [count, stop];
      received += 1;
      if (msg.type === 'fail') throw new Error('as told');
      if (msg.type === 'add') return [count + 1];
      if (msg.type === 'wait') return [count];
      return [count + 1, reply(msg.replyTo, { count: count + 1, node })];
    },
  });
  const start = async (id: string) => {
    const place = redis.place(id);
    const cluster = createCluster(place.coordination, { nodeId: id, boot: '1', ttlMs: TTL_MS, clock: place.clock, log: quiet });
    const system = new ActorSystem(place.clock);
    const everywhere = new ClusterActors(system, cluster, place.clock, { shareOf: (actorId) => before(actorId, '.') });
    everywhere.register({
      behaviour: behaviourOf(id),
      policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: () => 10 },
      mailboxLimit: 100,
      wake: (actor) => (actor === 'slow' ? pause(place.clock, WAKING_MS).then(() => actor) : actor),
      effectScopes: {},
      effectHandler: () => ({ perform() {}, release: () => pause(place.clock, CLOSING_MS) }),
      lost: { type: 'lost' },
      drainOrder: 1,
      drain: async () => {},
      wanted: async () => [],
    });
    await cluster.start();
    return { id, place, system, everywhere };
  };
  type Running = Awaited<ReturnType<typeof start>>;
  const nodes: Running[] = [];
  for (const id of ids) nodes.push(await start(id));
  await clock.advance(100);
  return {
    clock,
    redis,
    nodes,
    received: () => received,
    asked: (everywhere: ClusterActors, timeoutMs: number) => everywhere.ref<Count>('counter', 'c1').ask({ type: 'count' }, timeoutMs),
    /** The node that runs it, and one that does not. */
    homeOf(all: readonly Running[]): [Running, Running] {
      const home = all.find(({ system }) => system.has('counter', 'c1'))!;
      return [home, all.find((node) => node !== home)!];
    },
  };
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (cause: Refusal) => cause.code,
  );
