import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cluster, Lease } from '../../../runtime/cluster/port.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { aNode, TTL_MS } from './kinds.ts';

const KEY = 'device/1';
const STEP_MS = 50;

async function aWorld() {
  const clock = new VirtualClock();
  const redis = new SimulatedRedis(clock);
  return { clock, redis, a: await aNode(redis, 'a'), b: await aNode(redis, 'b') };
}

interface Rivalry {
  readonly clock: VirtualClock;
  readonly holder: Lease | null;
  readonly rival: Cluster;
}

/** The rival requests the lease at every step. Returns the time when it got it. Fails if both are ever safe together. */
async function contend({ clock, holder, rival }: Rivalry): Promise<number> {
  for (let elapsed = 0; elapsed <= 3 * TTL_MS; elapsed += STEP_MS) {
    const taken = await rival.leases.acquire(KEY);
    assert.ok(!(taken?.isSafe() && holder?.isSafe()), 'two hold it safely');
    if (taken !== null) return clock.monotonic();
    await clock.advance(STEP_MS);
  }
  assert.fail('it never became free');
}

/**
 * After Redis has lost all its data, or has become another process, no lease is granted before all earlier leases are lost to their
 * holders. This is not guaranteed if Redis forgets single keys (eviction, DEL), if its clock jumps, or while there are two masters. Two
 * nodes may then both count as safe for up to four fifths of a lease lifetime, and only the epoch in the store fences them.
 */
describe('a lease when Redis loses all data', () => {
  it('is reported as lost to its old holder before another node can acquire it', async () => {
    const { clock, redis, a, b } = await aWorld();
    const holder = await a.leases.acquire(KEY);
    let lostAt = Number.POSITIVE_INFINITY;
    holder?.onLost(() => {
      lostAt = clock.monotonic();
    });
    await clock.advance(3_400);
    redis.flush();
    const takenAt = await contend({ clock, holder, rival: b });
    assert.ok(lostAt < takenAt);
    assert.ok(takenAt <= 3_400 + TTL_MS + STEP_MS, 'one life later it is free');
  });

  it('is also reported as lost to a holder that cannot reach Redis', async () => {
    const { clock, redis, a, b } = await aWorld();
    const holder = await a.leases.acquire(KEY);
    await clock.advance(3_400);
    redis.partition('a');
    redis.flush();
    await contend({ clock, holder, rival: b });
  });

  it('is reported as lost in time even if responses are slow', async () => {
    const { clock, redis, a, b } = await aWorld();
    const holder = await a.leases.acquire(KEY);
    redis.weather = ({ node }) => (node === 'a' ? { requestMs: 900, replyMs: 900 } : { requestMs: 0, replyMs: 0 });
    await clock.advance(4_500);
    redis.flush();
    await contend({ clock, holder, rival: b });
  });

  it('can be acquired again once the members have seen each other', async () => {
    const { clock, redis, a, b } = await aWorld();
    redis.down();
    redis.flush();
    await clock.advance(1_000);
    redis.up();
    await clock.advance(2 * TTL_MS);
    assert.deepEqual(
      [a, b].map((node) => node.members().map(({ id }) => id)),
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    );
    assert.equal((await a.leases.acquire(KEY))?.isSafe(), true);
  });
});

describe("a forward jump of Redis's clock", () => {
  it("lets two nodes hold a lease until the old holder renews it, so only the store's epoch protects data", async () => {
    const { clock, redis, a, b } = await aWorld();
    const holder = await a.leases.acquire(KEY);
    redis.leap(TTL_MS);
    assert.deepEqual([(await b.leases.acquire(KEY))?.isSafe(), holder?.isSafe()], [true, true]);
    await clock.advance(TTL_MS / 3 + 1);
    assert.equal(holder?.isSafe(), false);
  });
});
