import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LimitsOverNodes } from '../../../http/limits/limits-over-nodes.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { redisCoordination } from '../../../runtime/cluster/redis/coordination.ts';
import { BatchedCounting } from '../../../runtime/cluster/shared-counters.ts';
import { type Random, seededRandom } from '../../../runtime/random.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { Link } from '../../../scripts/chaos/link.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { aRedis, whereRedisIs } from '../../support/redis.ts';

const MINUTE = 60_000;
const NODES = 3;
const MAX = 30;
const SHARE = MAX / NODES;
const LATE_MS = 600;

/** Three nodes, and when calls of one key came through them. */
function threeNodes() {
  const clock = new VirtualClock();
  const redis = new SimulatedRedis(clock);
  const nodes = Array.from({ length: NODES }, (_, n) => {
    const { coordination, clock: own } = redis.place(String(n));
    return new LimitsOverNodes({ counting: new BatchedCounting(coordination, own), nodes: () => NODES, failed() {} });
  });
  const passed: number[] = [];
  const inside = (): number => passed.filter((at) => at > clock.monotonic() - MINUTE).length;

  async function call(node: number): Promise<boolean> {
    let isPassed: boolean | null = null;
    void Promise.resolve(nodes[node]!.take('key', MAX, MINUTE, clock.now())).then(({ ok }) => {
      isPassed = ok;
    });
    await clock.advance(0);
    while (isPassed === null) await clock.advance(50);
    if (isPassed) passed.push(clock.monotonic());
    return isPassed;
  }

  const answersAfter = (ms: number): void => {
    redis.weather = () => ({ requestMs: ms / 2, replyMs: ms / 2 });
  };
  return { clock, call, inside, answersAfter };
}

/** How far over its limit a minute ever was, while Redis is now prompt, now late. */
async function worstOf(seed: number, nodeOf: (random: Random, spell: number) => number): Promise<number> {
  const { clock, call, inside, answersAfter } = threeNodes();
  const random = seededRandom(seed);
  let [worst, spell] = [0, 0];
  for (let nth = 0; nth < 200; nth += 1) {
    await clock.advance(Math.floor(random() ** 3 * 2_000));
    if (random() < 0.05) {
      spell += 1;
      answersAfter(spell % 2 === 0 ? 0 : LATE_MS);
    }
    if (await call(nodeOf(random, spell))) worst = Math.max(worst, inside() - MAX);
  }
  return worst;
}

it('a known key gets at most two extra calls per node while Redis is slow', async () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const worst = await worstOf(seed, (random) => Math.floor(random() * NODES));
    assert.ok(worst <= 2 * NODES, `${worst} over (seed ${seed})`);
  }
});

it("a caller who switches nodes while Redis is slow can exceed a rate limit by at most the other nodes' shares of the limit", async () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const worst = await worstOf(seed, (_random, spell) => spell % NODES);
    assert.ok(worst <= (NODES - 1) * SHARE, `${worst} over (seed ${seed})`);
  }
  const { call, inside, answersAfter } = threeNodes();
  for (let nth = 0; nth < MAX; nth += 1) assert.ok(await call(0));
  answersAfter(LATE_MS);
  for (let nth = 0; nth < 3 * MAX; nth += 1) await call(nth % NODES);
  assert.equal(inside(), MAX + (NODES - 1) * SHARE);
});

it('calls are rejected as soon as a late Redis response reports that a rate limit is reached', async () => {
  const { clock, call, answersAfter } = threeNodes();
  for (let nth = 0; nth < MAX; nth += 1) assert.ok(await call(0));
  answersAfter(LATE_MS);
  assert.ok(await call(1), 'its share: it knows nothing of the key');
  await clock.advance(LATE_MS);
  assert.equal(await call(1), false);
});

whereRedisIs('a proxy that delays Redis', () => {
  it('allows at most two extra calls per node', async (t) => {
    const redis = await aRedis(t);
    const link = await Link.to({ host: '127.0.0.1', port: Number(new URL(redis.url).port) });
    const coordinations = Array.from({ length: NODES }, () => redisCoordination({ url: `redis://127.0.0.1:${link.port}` }));
    t.after(async () => {
      await Promise.all(coordinations.map((coordination) => coordination.close()));
      link.close();
    });
    const countings = coordinations.map((coordination) => new BatchedCounting(coordination, systemClock));
    const nodes = countings.map((counting) => new LimitsOverNodes({ counting, nodes: () => NODES, failed() {} }));
    const call = async (nth: number): Promise<boolean> => (await nodes[nth % NODES]!.take('key', MAX, MINUTE, systemClock.now())).ok;
    const passing = async (calls: number): Promise<number> =>
      (await Promise.all(Array.from({ length: calls }, (_, nth) => call(nth)))).filter(Boolean).length;
    const isReceived = async (): Promise<void> => {
      for (const counting of countings) while (!(await said(counting)));
    };
    await isReceived();
    let passed = 0;
    for (let nth = 0; nth < MAX / 2; nth += 1) passed += (await call(nth)) ? 1 : 0;
    link.slow(LATE_MS / 2);
    for (let round = 0; round < 5; round += 1) passed += await passing(MAX);
    assert.ok(passed > MAX / 2, 'nobody is shut out');
    link.mend();
    await isReceived();
    for (let round = 0; round < 5; round += 1) passed += await passing(MAX);
    assert.ok(passed <= MAX + 2 * NODES, `${passed} in a minute that allows ${MAX}`);
  });
});

/** Does it say anything in time? */
async function said(counting: BatchedCounting): Promise<boolean> {
  const counted = counting.count([{ key: 'other', max: 1, windowMs: 1 }]);
  const isSaid = await counted?.then(
    () => true,
    () => false,
  );
  await new Promise(setImmediate);
  return isSaid === true;
}
