import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pause } from '../../../runtime/clock.ts';
import type { Member, StoreReach } from '../../../runtime/cluster/port.ts';
import { StoreWatch } from '../../../runtime/cluster/store-watch.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { aNode, quiet, TTL_MS } from './kinds.ts';

it('a node is taken out of service if the store responds only to another node', async () => {
  const { clock, told, store } = aWatch();
  store.answers = 'never';
  await clock.advance(TTL_MS * 0.9);
  assert.deepEqual(told, ['answers', 'doubtful']);
  await clock.advance(TTL_MS * 0.5);
  assert.deepEqual(told, ['answers', 'doubtful', 'stepped_down']);
});

it('a node stays in or returns to service if the store responds to no other node', async () => {
  const { clock, told, store, other } = aWatch();
  store.answers = 'never';
  other.store = 'doubtful';
  await clock.advance(TTL_MS * 10);
  assert.deepEqual(told, ['answers', 'doubtful']);
  other.store = 'answers';
  await clock.advance(TTL_MS / 2);
  other.store = 'doubtful';
  await clock.advance(TTL_MS / 2);
  assert.deepEqual(told.slice(2), ['stepped_down', 'doubtful']);
});

it('a node stays in service if the other node is draining or does not report whether the store responds', async () => {
  const { clock, told, store, other } = aWatch();
  store.answers = 'never';
  other.state = 'draining';
  await clock.advance(TTL_MS * 2);
  other.state = 'active';
  delete other.store;
  await clock.advance(TTL_MS * 2);
  assert.deepEqual(told, ['answers', 'doubtful']);
});

it('a node stays in service if the store responds slowly', async () => {
  const { clock, told, store } = aWatch();
  store.answers = 'late';
  await clock.advance(TTL_MS * 20);
  assert.ok(!told.includes('stepped_down'), told.join());
});

it('a store that does not respond is pinged until it does', async () => {
  const { clock, told, store } = aWatch();
  store.answers = 'hangs';
  await clock.advance(TTL_MS * 10);
  store.answers = 'at once';
  await clock.advance(TTL_MS * 2);
  assert.deepEqual(told, ['answers', 'doubtful', 'stepped_down', 'answers']);
});

it('a paused process counts only one missed store check, however long the pause was', async () => {
  const { clock, told, place } = aWatch();
  place.pause();
  await clock.advance(TTL_MS * 5);
  place.resume();
  await clock.advance(TTL_MS);
  assert.ok(!told.includes('stepped_down'), told.join());
});

it('an unstable node is readmitted later each time, until it has been stable for a long period', async () => {
  const { clock, store, endings } = aWatch();
  const cycle = async (): Promise<void> => {
    store.answers = 'never';
    await clock.advance(TTL_MS * 2);
    store.answers = 'at once';
    await clock.advance(TTL_MS * 2);
  };
  for (let i = 0; i < 40; i += 1) await cycle();
  const flapping = endings();
  assert.ok(flapping >= 2 && flapping <= 4, `it stepped down ${flapping} times in 40`);
  await clock.advance(TTL_MS * 40);
  for (let i = 0; i < 2; i += 1) await cycle();
  assert.equal(endings(), flapping + 2);
});

it('a node that is out of service cannot acquire leases until it returns to service', async () => {
  const clock = new VirtualClock();
  const node = await aNode(new SimulatedRedis(clock), 'a');
  await clock.advance(TTL_MS * 2);
  node.announce({ store: 'stepped_down' });
  assert.equal(await node.leases.acquire('device/1'), null);
  node.announce({ store: 'answers' });
  const taking = node.leases.acquire('device/1');
  node.announce({ store: 'stepped_down' });
  assert.equal(await taking, null, 'one that was under way');
  node.announce({ store: 'answers' });
  assert.equal((await node.leases.acquire('device/1'))?.isSafe(), true);
  node.announce({ store: 'stepped_down' });
  assert.equal(await node.leases.acquire('device/1'), null, 'one that it has not released yet');
});

/** The watch of one node, another node that answers, and a store. */
function aWatch() {
  const clock = new VirtualClock();
  const place = new SimulatedRedis(clock).place('a');
  const told: (StoreReach | undefined)[] = [];
  let endings = 0;
  const member = { boot: '', address: '', started_at: 0, heartbeat_at: 0, load: {} };
  const other: { -readonly [K in keyof Member]: Member[K] } = { ...member, id: 'b', state: 'active', store: 'answers' };
  const self: Member = { ...member, id: 'a', state: 'active', store: 'answers' };
  const store: { answers: 'at once' | 'late' | 'never' | 'hangs' } = { answers: 'at once' };
  const watch = new StoreWatch({
    cluster: { self: { id: 'a', boot: '' }, members: () => [self, other], announce: (change) => void told.push(change.store) },
    clock: place.clock,
    log: quiet,
    ttlMs: TTL_MS,
    async ping() {
      if (store.answers === 'never') throw new Error('no server was found');
      if (store.answers === 'hangs') await new Promise(() => {});
      if (store.answers === 'late') await pause(clock, TTL_MS * 0.8);
    },
    async stepDown() {
      endings += 1;
    },
  });
  watch.start();
  return { clock, place, told, other, store, endings: () => endings };
}
