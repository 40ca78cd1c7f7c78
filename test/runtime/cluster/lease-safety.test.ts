import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Lease } from '../../../runtime/cluster/port.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { aNode, aPlacedNode, TTL_MS } from './kinds.ts';

const SAFE_MS = TTL_MS - TTL_MS / 5;
const KEY = 'device/1';

function aWorld() {
  const clock = new VirtualClock();
  return { clock, redis: new SimulatedRedis(clock) };
}

/** When a lease is reported lost: once, or the test fails. */
function lossOf(lease: Lease | null, clock: VirtualClock): { at: number | null } {
  const loss: { at: number | null } = { at: null };
  lease?.onLost(() => {
    assert.equal(loss.at, null, 'received twice');
    loss.at = clock.monotonic();
  });
  return loss;
}

describe('a lease of a lost node', () => {
  it('becomes free exactly when its lifetime ends', async () => {
    const { clock, redis } = aWorld();
    const [a, b] = [await aPlacedNode(redis, 'a'), await aNode(redis, 'b')];
    await a.cluster.leases.acquire(KEY);
    a.place.kill();
    await clock.advance(TTL_MS - 1);
    assert.equal(await b.leases.acquire(KEY), null);
    await clock.advance(1);
    assert.equal((await b.leases.acquire(KEY))?.isSafe(), true);
    assert.deepEqual(
      b.members().map(({ id }) => id),
      ['b'],
    );
  });

  it('is unsafe at the first check after its node has been paused', async () => {
    const { clock, redis } = aWorld();
    const [a, b] = [await aPlacedNode(redis, 'a'), await aNode(redis, 'b')];
    const lease = await a.cluster.leases.acquire(KEY);
    const loss = lossOf(lease, clock);
    await clock.advance(4_000);
    a.place.pause();
    await clock.advance(TTL_MS);
    const next = await b.leases.acquire(KEY);
    assert.deepEqual([lease?.isSafe(), next?.isSafe()], [false, true]);
    a.place.resume();
    await clock.advance(TTL_MS);
    assert.deepEqual([lease?.isSafe(), next?.isSafe(), loss.at], [false, true, 14_000]);
    assert.deepEqual(a.cluster.leases.held(), []);
  });
});

describe('a lease while Redis does not respond', () => {
  for (const trouble of ['refuses', 'hangs'] as const) {
    it(`stays safe for most of its lifetime, then is lost and cannot be acquired again (Redis ${trouble})`, async () => {
      const { clock, redis } = aWorld();
      const a = await aNode(redis, 'a');
      const lease = await a.leases.acquire(KEY);
      const loss = lossOf(lease, clock);
      trouble === 'refuses' ? redis.down() : redis.partition('a');
      await clock.advance(SAFE_MS - 1);
      assert.deepEqual([lease?.isSafe(), loss.at], [true, null]);
      await clock.advance(1);
      assert.deepEqual([lease?.isSafe(), loss.at], [false, SAFE_MS]);
      const another = a.leases.acquire('device/2');
      await clock.advance(3_000);
      assert.equal(await another, null);
      const asked = assert.rejects(a.ping());
      await clock.advance(3_000);
      await asked;
    });
  }

  it('becomes unsafe for every caller before its loss is reported', async () => {
    const { clock, redis } = aWorld();
    const a = await aPlacedNode(redis, 'a');
    const lease = await a.cluster.leases.acquire(KEY);
    a.place.pause();
    await clock.advance(SAFE_MS);
    assert.equal(lease?.isSafe(), false);
    a.place.resume();
    await clock.advance(100);
    assert.equal(lease?.isSafe(), false, 'a renewal after that does not bring it back');
    assert.notEqual(await a.cluster.leases.acquire(KEY), lease);
  });

  it('is not restored by a renewal whose response arrives too late', async () => {
    const { clock, redis } = aWorld();
    const a = await aPlacedNode(redis, 'a');
    const lease = await a.cluster.leases.acquire(KEY);
    redis.weather = () => ({ requestMs: 0, replyMs: 100 });
    await clock.advance(3_400);
    a.place.pause();
    await clock.advance(5_600);
    a.place.resume();
    await clock.advance(0);
    assert.deepEqual([lease?.isSafe(), a.cluster.leases.held()], [false, []]);
  });

  it('is reported as lost on time after any number of renewals', async () => {
    const { clock, redis } = aWorld();
    const a = await aNode(redis, 'a');
    const loss = lossOf(await a.leases.acquire(KEY), clock);
    await clock.advance(2 * TTL_MS + 500);
    redis.partition('a');
    await clock.advance(2 * TTL_MS);
    assert.equal(Math.round(loss.at ?? 0), 2 * TTL_MS + SAFE_MS);
  });

  it('is kept if Redis responds again in time, and is then renewed automatically', async () => {
    const { clock, redis } = aWorld();
    const [a, b] = [await aNode(redis, 'a'), await aNode(redis, 'b')];
    const lease = await a.leases.acquire(KEY);
    for (let outage = 0; outage < 5; outage += 1) {
      redis.down();
      await clock.advance(4_000);
      redis.up();
      await clock.advance(2_000);
    }
    assert.equal(lease?.isSafe(), true);
    assert.equal((await a.leases.acquire('device/2'))?.isSafe(), true);
    assert.equal(await b.leases.acquire(KEY), null);
    assert.deepEqual(
      b.members().map(({ id }) => id),
      ['a', 'b'],
    );
  });

  it('expires relative to the time of the renewal request, however late the response arrives', async () => {
    const { clock, redis } = aWorld();
    const a = await aNode(redis, 'a');
    redis.weather = () => ({ requestMs: 100, replyMs: 1_800 });
    const taking = a.leases.acquire(KEY);
    await clock.advance(1_900);
    const lease = await taking;
    const loss = lossOf(lease, clock);
    redis.partition('a');
    await clock.advance(TTL_MS);
    assert.equal(loss.at, SAFE_MS);
  });
});

describe('a held lease', () => {
  it('does not depend on the wall clock', async () => {
    const { clock, redis } = aWorld();
    const [a, b] = [await aNode(redis, 'a'), await aNode(redis, 'b')];
    const lease = await a.leases.acquire(KEY);
    for (const leap of [3_600_000, -7_200_000, 3_600_000]) {
      clock.jump(leap);
      await clock.advance(5_000);
      assert.deepEqual([lease?.isSafe(), await b.leases.acquire(KEY)], [true, null]);
    }
  });

  it('is not affected when the release of an earlier lease arrives late', async () => {
    const { clock, redis } = aWorld();
    const [a, b] = [await aNode(redis, 'a'), await aNode(redis, 'b')];
    const first = await a.leases.acquire(KEY);
    redis.weather = ({ what }) => ({ requestMs: what === 'release' ? TTL_MS + 1_000 : 0, replyMs: 0 });
    void a.leases.release(first!);
    assert.equal(await a.leases.acquire(KEY), null, 'it runs out, or is released, first');
    await clock.advance(TTL_MS);
    const second = await a.leases.acquire(KEY);
    await clock.advance(1_000);
    assert.deepEqual([second?.isSafe(), await b.leases.acquire(KEY)], [true, null]);
  });

  it('is renewed three times per lifetime, in one call per thousand leases, with two timers', async () => {
    const { clock, redis } = aWorld();
    const a = await aNode(redis, 'a');
    const timers = clock.pending;
    const keys = Array.from({ length: 10_000 }, (_, i) => `device/${i}`);
    await Promise.all(keys.map((key) => a.leases.acquire(key)));
    assert.equal(clock.pending, timers + 2);
    let renewals = 0;
    redis.weather = ({ what }) => {
      if (what === 'renew') renewals += 1;
      return { requestMs: 0, replyMs: 0 };
    };
    await clock.advance(3 * TTL_MS);
    assert.deepEqual([renewals, a.leases.held().length], [90, 10_000]);
  });
});
