import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Behaviour, type ReplyTo, reply, stop } from '../../runtime/behaviour.ts';
import { leased } from '../../runtime/cluster/leased.ts';
import { localCluster } from '../../runtime/cluster/local.ts';
import { ActorSystem } from '../../runtime/system.ts';
import { settle, VirtualClock } from '../support/virtual-clock.ts';

type Say = { type: 'leave' } | { type: 'hello'; replyTo: ReplyTo<string> };
type Hear = { type: 'lost' };

const lodger: Behaviour<object, null, Say, Hear, never> = {
  kind: 'lodger',
  start: () => [null],
  handle: (_state, msg) => (msg.type === 'hello' ? [null, reply(msg.replyTo, 'hello')] : [null, stop]),
};

function aHouse({ wake = async (): Promise<null | object> => ({}), release = async (): Promise<void> => {} }) {
  const clock = new VirtualClock();
  const cluster = localCluster({ nodeId: 'n1', clock });
  const system = new ActorSystem(clock);
  const { kind } = leased(
    {
      behaviour: lodger,
      policy: { restart: 'transient', atMost: 1, withinMs: 1_000, backoffMs: () => 10 },
      mailboxLimit: 10,
      wake,
      hands: () => ({ perform() {}, release }),
      lost: { type: 'lost' },
    },
    cluster.leases,
  );
  system.register(kind);
  return { clock, cluster, system, ref: system.ref<Say>('lodger', 'a') };
}

it('an actor that is told to end while it wakes keeps no lease', async () => {
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

it('hands that cannot let go do not keep the lease', async () => {
  const { cluster, system, ref } = aHouse({ release: () => Promise.reject(new Error('stuck')) });
  assert.equal(await ref.ask({ type: 'hello' }), 'hello');
  await system.stop('lodger', 'a');
  await settle();
  assert.equal(cluster.leases.held().length, 0);
});

it('who waits for an actor that stops by itself may ask elsewhere', async () => {
  const { ref } = aHouse({});
  await ref.ask({ type: 'hello' });
  ref.tell({ type: 'leave' });
  await assert.rejects(ref.ask({ type: 'hello' }), { code: 'ELSEWHERE' });
});
