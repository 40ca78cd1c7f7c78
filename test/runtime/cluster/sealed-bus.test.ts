import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Redis } from 'ioredis';
import { systemClock } from '../../../runtime/clock.ts';
import { BusSeal } from '../../../runtime/cluster/bus-seal.ts';
import type { Cluster } from '../../../runtime/cluster/port.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import type { RedisServer } from '../../../scripts/servers/redis.ts';
import { aRedis, whereRedisIs } from '../../support/redis.ts';
import { aRedisNode, realTime, SECRET } from './kinds.ts';

const { until } = realTime;
const SECRET_TEXT = 'your code is 483920';
const OTHER_SECRET = 'a secret that the nodes of this cluster do not have';

interface Overheard {
  readonly channel: string;
  readonly text: string;
}

/** Somebody who can reach Redis, but is no node: receives every channel. */
async function aStranger(t: TestContext, { url }: RedisServer) {
  const { Redis } = await import('ioredis');
  const [ear, hand]: [Redis, Redis] = [new Redis(url), new Redis(url)];
  t.after(() => [ear, hand].map((redis) => redis.disconnect()));
  const overheard: Overheard[] = [];
  await ear.psubscribe('*');
  ear.on('pmessage', (_pattern, channel, text) => overheard.push({ channel, text }));
  return { overheard, hand };
}

async function twoNodes(t: TestContext) {
  const redis = await aRedis(t);
  const [a, b] = [await aRedisNode(t, redis.url, 'a'), await aRedisNode(t, redis.url, 'b')];
  await until(() => a.members().length === 2 && b.members().length === 2);
  return { redis, a, b, ...(await aStranger(t, redis)) };
}

const channelOf = ({ self }: Cluster): string => `gw:to:${self.id}/${self.boot}`;

whereRedisIs('a stranger with access to Redis', () => {
  it("cannot read the nodes' messages or addresses", async (t) => {
    const { a, b, overheard, hand } = await twoNodes(t);
    b.wire.serve(async () => SECRET_TEXT);
    assert.equal(await a.wire.ask('b', { text: SECRET_TEXT }, 5_000), SECRET_TEXT);
    const received: unknown[] = [];
    b.wire.onBroadcast('news', (body) => received.push(body));
    a.announce({ address: 'http://10.1.2.3:8080' });
    await until(() => {
      a.wire.broadcast('news', SECRET_TEXT);
      return received.length > 0 && b.members().some(({ address }) => address === 'http://10.1.2.3:8080');
    });
    await until(() => overheard.some(({ channel }) => channel === 'gw:all:news'));
    const seen = [...overheard.map(({ text }) => text), ...(await hand.mget('gw:node:a', 'gw:node:b'))].join('\n');
    assert.doesNotMatch(seen, /483920|10\.1\.2\.3/);
  });

  it('cannot affect a node with unencrypted, wrongly sealed, repeated or rerouted messages', async (t) => {
    const { a, b, overheard, hand } = await twoNodes(t);
    const served: unknown[] = [];
    b.wire.serve(async (body) => served.push(body));
    b.wire.onBroadcast('news', (body) => served.push(body));
    a.wire.tell('b', 'once');
    await until(() => served.length === 1);
    await until(() => overheard.some(({ channel }) => channel === channelOf(b)));
    const { text } = overheard.find(({ channel }) => channel === channelOf(b))!;
    const forged = JSON.stringify({ t: 'tell', from: 'a', body: 'forged' });
    await hand.publish(channelOf(b), forged);
    await hand.publish(channelOf(b), new BusSeal(OTHER_SECRET, systemClock).seal(channelOf(b).slice(3), forged));
    await hand.publish(channelOf(b), text);
    await hand.publish('gw:all:news', text);
    await hand.publish(channelOf(b), `${text.slice(0, -4)}AAAA`);
    await a.wire.ask('b', 'after', 5_000);
    assert.deepEqual(served, ['once', 'after']);
  });

  it('cannot join the cluster, hide a node, or make a node yield', async (t) => {
    const { a, b, hand } = await twoNodes(t);
    let isReplaced = false;
    a.onReplaced(() => {
      isReplaced = true;
    });
    const forged = { id: 'c', boot: 'x', started_at: 1, heartbeat_at: 1, address: '', state: 'active', load: {} };
    await hand.set('gw:node:a', JSON.stringify({ ...forged, id: 'a' }));
    await hand.set('gw:node:b', 'this is no member');
    await hand.set('gw:node:c', JSON.stringify(forged));
    await hand.set('gw:node:d', '{"id": null}');
    await hand.sadd('gw:nodes', 'c', 'd');
    const beat = (node: Cluster): void =>
      node.announce({ load: { beats: Math.round(systemClock.monotonic()) }, address: `http://${node.self.id}` });
    beat(a);
    beat(b);
    await until(
      () => a.members().length === 2 && a.members().every(({ address, id }) => address === `http://${id}`) && b.members().length === 2,
    );
    assert.deepEqual(
      a.members().map(({ id }) => id),
      ['a', 'b'],
    );
    assert.equal(isReplaced, false);
  });
});

whereRedisIs('a node', () => {
  it('survives messages with unexpected contents', async (t) => {
    const { a, b, redis } = await twoNodes(t);
    const insider = new BusSeal(SECRET, systemClock);
    const { hand } = await aStranger(t, redis);
    const send = (channel: string, envelope: unknown) => hand.publish(`gw:${channel}`, insider.seal(channel, JSON.stringify(envelope)));
    const to = channelOf(b).slice(3);
    b.wire.onBroadcast('news', (body) => void (body as { deep: { field: string } }).deep.field);
    b.wire.serve(async (body) => (body as { echo: string }).echo);
    for (const body of [null, 7, 'text', {}]) {
      for (const t of ['ask', 'tell', 'cast', 'answer', 'refusal', 'from-a-later-version', null, '__proto__'])
        await send(to, { t, n: 1, from: 'a', back: 'nowhere', body });
      await send('all:news', { t: 'cast', from: 'a', back: 'to:a', body });
      await send('members', body);
    }
    for (const envelope of [null, 7, [], {}, { t: 'ask' }, { t: 'refusal', n: 1, code: null }]) await send(to, envelope);
    assert.equal(await a.wire.ask('b', { echo: 'alive' }, 5_000), 'alive');
  });

  it('sees only itself if its secret differs from that of the other nodes', async (t) => {
    const { redis, a } = await twoNodes(t);
    const other = await aRedisNode(t, redis.url, 'c', undefined, OTHER_SECRET);
    assert.deepEqual(
      other.members().map(({ id }) => id),
      ['c'],
    );
    await assert.rejects(other.wire.ask('a', {}, 1_000), { code: 'UNAVAILABLE' });
    assert.equal(a.members().length, 2);
  });
});

it('a sealed message can be opened only once, within a minute, and only on its own channel', async () => {
  const clock = new VirtualClock();
  const [a, b] = [new BusSeal(SECRET, clock), new BusSeal(SECRET, clock)];
  const first = a.seal('news', 'one');
  const second = a.seal('news', 'two');
  assert.equal(b.open('news', first)?.text, 'one');
  assert.equal(b.open('weather', first), null);
  assert.equal(b.openOnce('news', first), 'one');
  assert.equal(b.openOnce('news', first), null);
  assert.equal(b.openOnce('news', second), 'two');
  assert.equal(b.openOnce('news', first), null);
  const third = a.seal('news', 'three');
  await clock.advance(60_000);
  assert.equal(b.open('news', third)?.text, 'three');
  await clock.advance(1);
  assert.equal(b.open('news', third), null);
  assert.notEqual(a.seal('news', 'one').split('.')[4], first.split('.')[4]);
});
