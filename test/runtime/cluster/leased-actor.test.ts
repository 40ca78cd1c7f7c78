import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Behaviour, type ReplyTo, reply, stop } from '../../../runtime/actor-system/behaviour.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { type EffectScopes, leased } from '../../../runtime/cluster/leased-actor.ts';
import { localCluster } from '../../../runtime/cluster/local-cluster.ts';
import type { Leases } from '../../../runtime/cluster/port.ts';
import { settle, VirtualClock } from '../../../runtime/testing/virtual-clock.ts';

type Say = { type: 'leave' } | { type: 'act'; effect: Effect['do'] } | { type: 'hello'; replyTo: ReplyTo<string> };
type Receive = { type: 'lost' };
type Effect = { do: 'write' } | { do: 'send' };
// @ts-expect-error: an effect of which nobody said what it touches.
const FORGOTTEN: EffectScopes<Effect> = { write: 'fenced' };

const lodger: Behaviour<object, null, Say, Receive, Effect> = {
  kind: 'lodger',
  start: () => [null],
  handle(_state, msg) {
    if (msg.type === 'hello') return [null, reply(msg.replyTo, 'hello')];
    return [null, msg.type === 'act' ? { do: msg.effect } : stop];
  },
};

function aHouse({ wake = async (): Promise<null | object> => ({}), release = async (): Promise<void> => {}, isSafe = () => true }) {
  const clock = new VirtualClock();
  const cluster = localCluster({ nodeId: 'n1', clock });
  const done: string[] = [];
  const system = new ActorSystem(clock);
  const { kind } = leased(
    {
      behaviour: lodger,
      policy: { restart: 'transient', atMost: 1, withinMs: 1_000, backoffMs: () => 10 },
      mailboxLimit: 10,
      wake,
      effectScopes: { write: 'fenced', send: 'network' },
      effectHandler: () => ({ perform: (effect) => void done.push(effect.do), release }),
      lost: { type: 'lost' },
    },
    withSafety(cluster.leases, isSafe),
  );
  system.register(kind);
  return { clock, cluster, system, done, ref: system.ref<Say>('lodger', 'a') };
}

it('an actor that is stopped while it is waking up releases its lease', async () => {
  const slow = Promise.withResolvers<object>();
  const { cluster, system, ref } = aHouse({ wake: () => slow.promise });
  const asked = assert.rejects(ref.ask({ type: 'hello' }), { code: 'ELSEWHERE' });
  await settle();
  assert.equal(cluster.leases.held().length, 1);
  await system.stop('lodger', 'a', 'ELSEWHERE');
  await asked;
  slow.resolve({});
  await settle();
  assert.equal(cluster.leases.held().length, 0);
});

it("an actor's lease is released even if its effect handler fails to release resources", async () => {
  const { cluster, system, ref } = aHouse({ release: () => Promise.reject(new Error('stuck')) });
  assert.equal(await ref.ask({ type: 'hello' }), 'hello');
  await system.stop('lodger', 'a');
  await settle();
  assert.equal(cluster.leases.held().length, 0);
});

it('requests to an actor that stops itself fail with ELSEWHERE', async () => {
  const { ref } = aHouse({});
  await ref.ask({ type: 'hello' });
  ref.tell({ type: 'leave' });
  await assert.rejects(ref.ask({ type: 'hello' }), { code: 'ELSEWHERE' });
});

it('an actor with an effect that has no scope does not compile', () => assert.equal(Object.keys(FORGOTTEN).length, 1));

it('an actor performs external effects only while its lease is safe, and stops otherwise', async () => {
  let isSafe = true;
  const { ref, done, system } = aHouse({ isSafe: () => isSafe });
  ref.tell({ type: 'act', effect: 'send' });
  await ref.ask({ type: 'hello' });
  isSafe = false;
  ref.tell({ type: 'act', effect: 'write' });
  ref.tell({ type: 'act', effect: 'send' });
  await settle();
  assert.deepEqual(done, ['send', 'write']);
  assert.equal(system.has('lodger', 'a'), false);
});

function withSafety(leases: Leases, isSafe: () => boolean): Leases {
  return {
    async acquire(key) {
      const lease = await leases.acquire(key);
      return lease && Object.assign(lease, { isSafe });
    },
    release: (lease) => leases.release(lease),
    holders: (keys) => leases.holders(keys),
    held: () => leases.held(),
  };
}
