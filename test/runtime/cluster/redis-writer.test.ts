import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { Redis } from 'ioredis';
import { systemClock } from '../../../runtime/clock.ts';
import type { Cluster, ClusterLog } from '../../../runtime/cluster/port.ts';
import { redisCluster } from '../../../runtime/cluster/redis/coordination.ts';
import { aRedis, whereRedisIs } from '../../support/redis.ts';
import { realTime, SECRET } from './kinds.ts';

const { until } = realTime;
const TTL_MS = 3_000;
const KEY = 'device/1';
const WINDOW = { key: 'calls', max: 3, windowMs: 60_000 };
const HUGE_BYTES = 100 * 2 ** 20;

interface Line {
  readonly event: string;
  readonly where?: string;
}

/** Nodes over a real Redis, and somebody who can write to it and has none of our secrets. */
async function aScene(t: TestContext) {
  const redis = await aRedis(t);
  const hand = new Redis(redis.url);
  t.after(() => hand.disconnect());
  const lines: Line[] = [];
  const take = (line: object): void => void lines.push(line as Line);
  const log: ClusterLog = { info: take, warn: take, error: take };
  let boots = 0;
  const start = async (nodeId: string) => {
    boots += 1;
    const cluster = redisCluster({ url: redis.url, secret: SECRET, nodeId, boot: `boot${boots}`, ttlMs: TTL_MS, clock: systemClock, log });
    t.after(() => cluster.leave());
    let isReplaced = false;
    cluster.onReplaced(() => {
      isReplaced = true;
    });
    cluster.wire.serve(async () => `here is ${nodeId}`);
    await cluster.start();
    return Object.assign(cluster, { isReplaced: () => isReplaced });
  };
  return { redis, hand, lines, start };
}

const seen = (by: Cluster): string =>
  by
    .members()
    .map(({ id, boot }) => `${id}/${boot}`)
    .join();

/** So many heartbeats of this node have been answered. */
async function beats(node: Cluster, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const before = node.members().find(({ id }) => id === node.self.id)?.heartbeat_at;
    await until(() => node.members().find(({ id }) => id === node.self.id)?.heartbeat_at !== before);
  }
}

whereRedisIs(
  'a Redis client without the secret',
  () => {
    it('cannot stop a node by restoring the record of its previous process', async (t) => {
      const { hand, start, lines } = await aScene(t);
      const b = await start('b');
      const former = await start('a');
      const taped = (await hand.get('gw:node:a')) ?? '';
      await former.leave();
      const a = await start('a');
      const future = JSON.stringify({ ...JSON.parse(taped), started_at: 9e15 });
      const evil = JSON.stringify({ ...JSON.parse(taped), id: 'evil' });
      for (const [key, text] of [
        ['gw:node:evil', taped],
        ['gw:node:evil', evil],
        ['gw:node:a', taped],
        ['gw:node:a', future],
      ] as const) {
        await hand.multi().set(key, text).sadd('gw:nodes', 'evil').exec();
        await beats(a, 2);
        await beats(b, 1);
        assert.equal(a.isReplaced(), false, `${key} ${text}`);
        await until(() => seen(b) === `a/${a.self.boot},b/${b.self.boot}`);
        assert.equal(await b.wire.ask('a', {}, 2_000), 'here is a');
      }
      assert.ok(lines.some(({ event }) => event === 'cluster.unsealed_dropped'));
      assert.ok(!lines.some(({ event }) => event === 'node.replaced'));
    });

    it('cannot prevent a node from yielding to a newer process with the same name', async (t) => {
      const { start } = await aScene(t);
      const before = await start('a');
      const after = await start('a');
      await until(() => before.isReplaced());
      assert.equal(after.isReplaced(), false);
    });

    it('cannot show other nodes an outdated announcement from a node', async (t) => {
      const { hand, start } = await aScene(t);
      const [a, b] = [await start('a'), await start('b')];
      a.announce({ state: 'draining' });
      await until(() => b.members()[0]?.state === 'draining');
      const taped = (await hand.get('gw:node:a')) ?? '';
      a.announce({ state: 'active' });
      await until(() => b.members()[0]?.state === 'active');
      await hand.set('gw:node:a', taped);
      for (let n = 0; n < 3; n += 1) {
        await beats(b, 1);
        assert.notEqual(b.members().find(({ id }) => id === 'a')?.state, 'draining');
      }
    });

    it('cannot take over a lease with a foreign, moved, truncated or earlier value', async (t) => {
      const { hand, start, lines } = await aScene(t);
      const [a, b] = [await start('a'), await start('b')];
      const early = await b.leases.acquire(KEY);
      const earlier = (await hand.get(`gw:lease:${KEY}`)) ?? '';
      assert.ok(early && earlier);
      await b.leases.release(early);
      const lease = await a.leases.acquire(KEY);
      const other = await b.leases.acquire('device/2');
      assert.ok(lease && other);
      const own = (await hand.get(`gw:lease:${KEY}`)) ?? '';
      const moved = (await hand.get('gw:lease:device/2')) ?? '';
      const values = [
        '',
        'x',
        'evil/boot/1',
        `b/${b.self.boot}/1`,
        `b/${b.self.boot}/9.9999999999999.AAAA`,
        moved,
        earlier,
        own.slice(0, -4),
        `${own}x`,
      ];
      for (const value of values) {
        await hand.set(`gw:lease:${KEY}`, value);
        assert.equal(await b.leases.acquire(KEY), null, value);
        await until(async () => (await hand.get(`gw:lease:${KEY}`)) === own);
        assert.ok(lease.isSafe(), value);
      }
      assert.deepEqual(await b.leases.holders([KEY]), ['a']);
      assert.ok(!lines.some(({ event }) => event === 'lease.lost'));
      assert.ok(lines.some(({ event }) => event === 'cluster.unsealed_dropped'));
    });

    it('cannot block a lease forever with a value that never expires', async (t) => {
      const { hand, start } = await aScene(t);
      const [a, b] = [await start('a'), await start('b')];
      const lease = await a.leases.acquire(KEY);
      assert.ok(lease);
      await hand.set('gw:lease:device/2', 'evil/boot/1');
      await hand.persist(`gw:lease:${KEY}`);
      assert.equal(await b.leases.acquire('device/2'), null);
      assert.equal(await b.leases.acquire(KEY), null);
      await until(async () => (await b.leases.acquire('device/2')) !== null);
    });

    it('can block new leases for at most one lease lifetime, which the log reports', async (t) => {
      const { hand, start, lines } = await aScene(t);
      const a = await start('a');
      for (const [key, value] of [
        ['gw:quiet', '1'],
        ['gw:run', 'another'],
      ] as const) {
        lines.length = 0;
        await hand.set(key, value);
        assert.equal(await a.leases.acquire(`device/${key}`), null);
        await until(async () => (await a.leases.acquire(`device/${key}`)) !== null);
        if (key === 'gw:quiet') assert.ok(lines.some(({ event }) => event === 'lease.withheld'));
      }
    });

    const hostile: Readonly<Record<string, (hand: Redis, key: string) => Promise<unknown>>> = {
      deleted: (hand, key) => hand.del(key),
      empty: (hand, key) => hand.set(key, ''),
      binary: (hand, key) => hand.set(key, Buffer.from([0, 255, 13, 10, 36, 45, 49])),
      'a deeply nested JSON text': (hand, key) => hand.set(key, '['.repeat(100_000)),
      'JSON with wrong types': (hand, key) => hand.set(key, '{"id":[],"boot":{},"started_at":{},"sealed":7}'),
      '100 MB': (hand, key) => hand.multi().del(key).setrange(key, HUGE_BYTES, 'x').exec(),
      'a list': (hand, key) => hand.multi().del(key).rpush(key, 'x', 'nan', '-1', '1e999').exec(),
      'a long list': (hand, key) => hand.multi().del(key).eval("for i = 1, 20000 do redis.call('LPUSH', KEYS[1], '1') end", 1, key).exec(),
      'a set of 12,000 members': (hand, key) =>
        hand.multi().del(key).eval("for i = 1, 12000 do redis.call('SADD', KEYS[1], 'n' .. i) end", 1, key).exec(),
      'a hash': (hand, key) => hand.multi().del(key).hset(key, 'a', 'b').exec(),
      'a sorted set with extreme scores': (hand, key) => hand.multi().del(key).zadd(key, 'inf', 'x', 9e15, 'y', 9e15, 'z').exec(),
      'a stream': (hand, key) => hand.multi().del(key).xadd(key, '*', 'a', 'b').exec(),
    };

    for (const [what, write] of Object.entries(hostile)) {
      it(`cannot stop nodes or duplicate leases if each of the gateway's keys is ${what}`, async (t) => {
        const { hand, start, lines } = await aScene(t);
        const [a, b] = [await start('a'), await start('b')];
        const lease = await a.leases.acquire(KEY);
        assert.ok(lease);
        await a.counting?.count([WINDOW]);
        await a.counting?.acquireSeat('stream', 'one', 2, TTL_MS);
        const keys = await hand.keys('gw:*');
        assert.deepEqual(
          keys
            .map((key) => key.split(':')[1])
            .filter((name, n, all) => all.indexOf(name) === n)
            .sort(),
          ['lease', 'node', 'nodes', 'room', 'run', 'window'],
        );
        for (const key of [...keys, 'gw:quiet', 'gw:node:evil']) await write(hand, key);
        await until(() => [a, b].every((node) => seen(node) === `a/${a.self.boot},b/${b.self.boot}`));
        await until(async () => (await a.wire.ask('b', {}, 500).catch(() => null)) === 'here is b');
        await until(async () => (await b.leases.acquire('device/2'))?.isSafe() === true);
        await until(async () => Array.isArray(await a.counting?.count([WINDOW])?.catch(() => null)));
        await until(() => a.counting!.acquireSeat('stream', 'two', 2, TTL_MS).catch(() => false));
        await beats(a, 2);
        assert.deepEqual([a.isReplaced(), b.isReplaced()], [false, false]);
        // A lease that was deleted may be lost, or one whose server had to write 100 MB for longer than a lease lasts. One that was overwritten is not.
        if (what !== 'deleted' && what !== '100 MB') assert.ok(lease.isSafe());
        if (lease.isSafe()) assert.equal(await b.leases.acquire(KEY), null);
        assert.ok(what === 'deleted' || lines.length > 0, 'a line in the log');
      });
    }
  },
  4,
);
