import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LimitsOverNodes } from '../../../http/limits/limits-over-nodes.ts';
import { BatchedCounting } from '../../../runtime/cluster/shared-counters.ts';
import { seededRandom } from '../../../runtime/random.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { runLimits } from '../../../scripts/chaos/limits/run.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { aRedis, whereRedisIs } from '../../support/redis.ts';

const MINUTE = 60_000;

/** Three nodes whose own clocks are far apart. */
function threeNodes() {
  const clock = new VirtualClock();
  const redis = new SimulatedRedis(clock);
  const told: unknown[] = [];
  const nodes = ['a', 'b', 'c'].map((id) => {
    const { coordination, clock: own } = redis.place(id);
    const counting = new BatchedCounting(coordination, own);
    return new LimitsOverNodes({ counting, nodes: () => 3, failed: (cause) => told.push(cause) });
  });
  const take = async (node: number, max: number, key = 'key') => {
    const taking = Promise.resolve(nodes[node]!.take(key, max, MINUTE, clock.now() + (node - 1) * 3_600_000));
    await clock.advance(0);
    return taking;
  };
  return { clock, redis, nodes, take, told };
}

it('a rate limit applies across all nodes, and its `Retry-After` is long enough', async () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const random = seededRandom(seed);
    const { clock, take } = threeNodes();
    const max = 1 + Math.floor(random() * 12);
    const passed: number[] = [];
    for (let call = 0; call < 150; call += 1) {
      await clock.advance(Math.floor(random() ** 3 * 12_000));
      const verdict = await take(Math.floor(random() * 3), max);
      const inside = passed.filter((at) => at > clock.monotonic() - MINUTE).length;
      assert.deepEqual([verdict.ok, verdict.limit, verdict.remaining], [inside < max, max, Math.max(0, max - inside - 1)]);
      if (!verdict.ok) {
        await clock.advance(verdict.resetMs);
        assert.equal((await take(Math.floor(random() * 3), max)).ok, true, 'waiting that long suffices');
      }
      passed.push(clock.monotonic());
    }
  }
});

it('a call that one rate limit rejects does not count against any other limit', async () => {
  const { clock, nodes, take } = threeNodes();
  const both = async (node: number) => {
    const windows = [
      { key: 'wide', max: 5, windowMs: MINUTE },
      { key: 'narrow', max: 2, windowMs: MINUTE },
    ];
    const taking = Promise.resolve(nodes[node]!.takeAll(windows, clock.now()));
    await clock.advance(0);
    return (await taking).map(({ ok, remaining }) => `${ok} ${remaining}`);
  };
  const seen = [await both(0), await both(1), await both(2), await both(0)];
  assert.deepEqual(seen, [
    ['true 4', 'true 1'],
    ['true 3', 'true 0'],
    ['true 3', 'false 0'],
    ['true 3', 'false 0'],
  ]);
  assert.equal((await take(1, 5, 'wide')).remaining, 2);
});

it('rate limits are divided among the nodes if Redis is lost, and each node logs this once', async () => {
  const { clock, redis, take, told } = threeNodes();
  redis.down();
  const answers = [];
  for (let call = 0; call < 12; call += 1) answers.push(await take(call % 3, 6));
  assert.deepEqual(answers.filter(({ ok }) => ok).length, 6);
  assert.ok(answers.every(({ limit }) => limit === 6));
  assert.equal(told.length, 3, 'once by each node');

  redis.up();
  await clock.advance(1_000);
  const again = [await take(0, 6), await take(1, 6), await take(0, 6)];
  assert.deepEqual(
    again.map(({ ok, remaining }) => [ok, remaining]),
    [
      [true, 5],
      [true, 2],
      [false, 0],
    ],
    'Redis receives from each node, as it asks, what it had let through',
  );
});

it("calls made before Redis was lost are deducted from a node's share of a rate limit", async () => {
  const { redis, take } = threeNodes();
  for (let call = 0; call < 4; call += 1) assert.equal((await take(0, 6)).ok, true);
  redis.down();
  assert.deepEqual([(await take(0, 6)).ok, (await take(1, 6)).ok], [false, true]);
});

it('a Redis that hangs delays calls by at most 250 ms, and only once a second', async () => {
  const { clock, redis, nodes } = threeNodes();
  redis.partition('a');
  const first = Promise.resolve(nodes[0]!.take('key', 3, MINUTE, clock.now()));
  await clock.advance(250);
  assert.equal((await first).ok, true);
  const second = nodes[0]!.takeAll([{ key: 'other', max: 3, windowMs: MINUTE }], clock.now());
  assert.ok(Array.isArray(second), 'answered at once');
});

whereRedisIs('rate limits on a real Redis', () => {
  it('are neither exceeded nor applied too early with three nodes', async (t) => {
    const { url } = await aRedis(t);
    const order = { redisUrl: url, nodes: 3, tries: 1_500, max: 60, windowMs: 500, random: seededRandom(Date.now()) };
    const { overfull, wronged, broken, passed } = await runLimits({ ...order, apart: false });
    assert.deepEqual({ overfull, wronged, broken }, { overfull: 0, wronged: 0, broken: 0 });
    assert.ok(passed < 1_500);
    const apart = await runLimits({ ...order, apart: true });
    assert.ok(apart.overfull > 0, 'nodes that count apart are seen');
  });
});

it('each node still applies its rate limits if the Redis counters are deleted after each call', async () => {
  const { clock, redis, take } = threeNodes();
  const passed = [0, 0, 0];
  for (let call = 0; call < 60; call += 1) {
    redis.flush();
    const { ok, resetMs } = await take(call % 3, 5);
    if (ok) passed[call % 3]! += 1;
    else assert.ok(resetMs > 0 && resetMs <= MINUTE);
  }
  assert.deepEqual(passed, [5, 5, 5]);
  await clock.advance(MINUTE);
  assert.equal((await take(0, 5)).ok, true);
});
