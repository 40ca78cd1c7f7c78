import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import type { Cluster, Lease } from '../../../runtime/cluster/port.ts';
import { redisCluster } from '../../../runtime/cluster/redis/coordination.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { aRedis, whereRedisIs } from '../../support/redis.ts';
import { aRedisNode, quiet, realTime, SECRET } from './kinds.ts';

const TTL_MS = 2_000;
const KEY = 'device/1';
const { until } = realTime;

async function twoNodes(t: TestContext) {
  const redis = await aRedis(t);
  const [a, b] = [await aRedisNode(t, redis.url, 'a', TTL_MS), await aRedisNode(t, redis.url, 'b', TTL_MS)];
  await until(() => a.members().length === 2);
  return { redis, a, b };
}

/** Asks and hints get through, members see each other and leases are given. */
async function worksAgain(a: Cluster, b: Cluster): Promise<void> {
  const received: unknown[] = [];
  b.wire.onBroadcast('again', (body) => received.push(body));
  b.wire.serve(async () => 'here');
  await until(() => a.members().length === 2 && b.members().length === 2);
  await until(async () => (await a.wire.ask('b', {}, 500).catch(() => null)) === 'here');
  await until(() => {
    a.wire.broadcast('again', {});
    return received.length > 0;
  });
  await until(async () => (await b.leases.acquire('device/2'))?.isSafe() === true);
}

async function contend(holder: Lease | null, rival: Cluster): Promise<void> {
  await until(async () => {
    const taken = await rival.leases.acquire(KEY);
    assert.ok(!(taken?.isSafe() && holder?.isSafe()), 'two hold it safely');
    return taken !== null;
  });
}

whereRedisIs('nodes under Redis faults', () => {
  it('lose their leases when Redis restarts without data, and then recover automatically', async (t) => {
    const { redis, a, b } = await twoNodes(t);
    const lease = await a.leases.acquire(KEY);
    await redis.kill();
    assert.equal(lease?.isSafe(), true);
    assert.equal(await b.leases.acquire('device/3'), null);
    await assert.rejects(a.ping(), /Redis/);
    await assert.rejects(a.leases.holders([KEY]), { code: 'UNAVAILABLE' });
    await assert.rejects(a.wire.ask('b', {}, 1_000), { code: 'UNAVAILABLE' });
    await redis.start();
    await contend(lease, b);
    await worksAgain(a, b);
  });

  it('never hold the same lease at the same time after Redis has been flushed', async (t) => {
    const { redis, a, b } = await twoNodes(t);
    const lease = await a.leases.acquire(KEY);
    await redis.flush();
    await contend(lease, b);
    await worksAgain(a, b);
  });

  it('keep their leases until they expire if Redis hangs, and recover once it responds', async (t) => {
    const { redis, a, b } = await twoNodes(t);
    const lease = await a.leases.acquire(KEY);
    const lost = new Promise<void>((resolve) => lease?.onLost(resolve));
    redis.pause();
    const refused = assert.rejects(a.ping(), /Redis/);
    assert.equal(lease?.isSafe(), true);
    await lost;
    assert.equal(lease?.isSafe(), false);
    await refused;
    redis.resume();
    await worksAgain(a, b);
  });

  it('continue normally if Redis loses its scripts and subscribers', async (t) => {
    const { redis, a, b } = await twoNodes(t);
    const lease = await a.leases.acquire(KEY);
    await redis.run(async (client) => {
      await client.script('FLUSH');
      await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    });
    await worksAgain(a, b);
    assert.equal(lease?.isSafe(), true);
  });

  it('fail to start if Redis cannot be reached, and report the reason', async (t) => {
    const clock = new VirtualClock();
    const cluster = redisCluster({ url: 'redis://127.0.0.1:1', secret: SECRET, nodeId: 'a', boot: '1', ttlMs: TTL_MS, clock, log: quiet });
    t.after(() => cluster.leave());
    const refused = assert.rejects(
      cluster.start(),
      (error: Error) => /could not join/.test(error.message) && /ECONNREFUSED/.test(String(error.cause)),
    );
    await clock.advance(5_000);
    await refused;
  });
});

whereRedisIs('a node in another process', () => {
  it('treats its lease as unsafe after a pause longer than the lease lifetime', async (t) => {
    const { b, child, say } = await aHolder(t);
    assert.equal(await say(), 'safe');
    assert.equal(await b.leases.acquire(KEY), null);
    child.kill('SIGSTOP');
    const answer = say();
    await until(async () => (await b.leases.acquire(KEY))?.isSafe() === true);
    child.kill('SIGCONT');
    assert.equal(await answer, 'not safe');
  });

  it('releases its lease when the process is killed', async (t) => {
    const { b, child } = await aHolder(t);
    child.kill('SIGKILL');
    await until(async () => (await b.leases.acquire(KEY))?.isSafe() === true);
    await until(() => b.members().length === 1);
  });
});

describe('the Redis test server', () => {
  it('explains in one sentence when Redis is not installed', async (t) => {
    const path = process.env['PATH'];
    t.after(() => {
      process.env['PATH'] = path;
    });
    process.env['PATH'] = '';
    await assert.rejects(aRedis(t), /^Error: redis-server is not installed: install the Debian package redis-server\.$/);
  });
});

async function aHolder(t: TestContext) {
  const { url } = await aRedis(t);
  const b = await aRedisNode(t, url, 'b', TTL_MS);
  const child = spawn(process.execPath, ['test/runtime/cluster/holder-process.ts', url, String(TTL_MS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  assert.deepEqual(await once(lines, 'line'), ['holds']);
  const say = async (): Promise<unknown> => {
    const answer = once(lines, 'line');
    child.stdin.write('safe?\n');
    return (await answer)[0];
  };
  return { b, child, say };
}
