import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { pause, systemClock } from '../../../runtime/clock.ts';
import type { Coordination, Member } from '../../../runtime/cluster/port.ts';
import { redisCoordination } from '../../../runtime/cluster/redis/coordination.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { aRedis, hasRedis, whereRedisIs } from '../../support/redis.ts';
import { realTime } from './kinds.ts';

const LIFE_MS = 60_000;

interface Fixture {
  readonly coordination: Coordination;
  flush(): Promise<void> | void;
  pass(ms: number): Promise<void>;
}

async function simulated(): Promise<Fixture> {
  const clock = new VirtualClock();
  const redis = new SimulatedRedis(clock);
  return { coordination: redis.place('a').coordination, flush: () => redis.flush(), pass: (ms) => clock.advance(ms) };
}

async function real(t: TestContext): Promise<Fixture> {
  const redis = await aRedis(t);
  const coordination = redisCoordination({ url: redis.url });
  t.after(() => coordination.close());
  await realTime.until(() =>
    coordination.ping().then(
      () => true,
      () => false,
    ),
  );
  return { coordination, flush: () => redis.flush(), pass: (ms) => pause(systemClock, ms) };
}

const aMember = (id: string, boot: string, started_at: number): Member => ({
  id,
  boot,
  started_at,
  heartbeat_at: started_at,
  address: '',
  state: 'active',
  load: {},
});

/** What the simulated Redis does and what the scripts in the real one do must be the same. */
for (const [name, fixture] of [['simulated Redis', simulated], ...(hasRedis ? ([['Redis', real]] as const) : [])] as const) {
  describe(`the coordination service on ${name}`, () => {
    it('grants a lease to only one holder, and replaces the holder only if the request names that holder', async (t) => {
      const { coordination } = await fixture(t);
      assert.equal(await coordination.acquire('k', 'a/1/0', LIFE_MS), 'a/1/0');
      assert.equal(await coordination.acquire('k', 'a/2/0', LIFE_MS), 'a/1/0');
      assert.equal(await coordination.acquire('k', 'b/1/0', LIFE_MS), 'a/1/0');
      assert.equal(await coordination.acquire('k', 'a/1/1', LIFE_MS), 'a/1/0');
      assert.equal(await coordination.replace('k', 'b/1/0', 'a/1/1', LIFE_MS), false);
      assert.equal(await coordination.replace('k', 'a/1/0', 'a/1/1', LIFE_MS), true);
      assert.equal(await coordination.replace('free', 'a/1/0', 'a/1/1', LIFE_MS), false);
      assert.deepEqual(await coordination.holders(['k', 'free']), ['a/1/1', null]);
    });

    it('renews a lease only for its holder', async (t) => {
      const { coordination } = await fixture(t);
      await coordination.acquire('mine', 'a/1/0', LIFE_MS);
      await coordination.acquire('theirs', 'b/1/0', LIFE_MS);
      await coordination.acquire('before', 'a/10/0', LIFE_MS);
      const keys = ['theirs', 'mine', 'free', 'before'];
      const leases = keys.map((key) => ({ key, holder: 'a/1/0' }));
      assert.deepEqual(await coordination.renew(leases, LIFE_MS), ['b/1/0', true, null, 'a/10/0']);
      assert.deepEqual(await coordination.holders(keys), ['b/1/0', 'a/1/0', null, 'a/10/0']);
    });

    it('releases a lease only for its exact holder', async (t) => {
      const { coordination } = await fixture(t);
      await coordination.acquire('mine', 'a/1/0', LIFE_MS);
      await coordination.acquire('again', 'a/1/2', LIFE_MS);
      await coordination.acquire('theirs', 'b/1/0', LIFE_MS);
      await coordination.release(['mine', 'again', 'theirs', 'free'].map((key) => ({ key, holder: 'a/1/0' })));
      assert.deepEqual(await coordination.holders(['mine', 'again', 'theirs']), [null, 'a/1/2', 'b/1/0']);
    });

    it('grants no leases for one lease lifetime after losing all data', async (t) => {
      const { coordination, flush } = await fixture(t);
      await coordination.acquire('k', 'a/1/0', LIFE_MS);
      await flush();
      assert.equal(await coordination.acquire('k', 'b/1/0', LIFE_MS), null);
      assert.equal(await coordination.acquire('k', 'a/1/1', LIFE_MS), null);
      assert.deepEqual(await coordination.renew([{ key: 'k', holder: 'a/1/0' }], LIFE_MS), [null]);
      await flush();
      await coordination.beat(aMember('a', '1', 1), LIFE_MS);
      assert.equal(await coordination.acquire('k', 'b/1/0', LIFE_MS), null);
    });

    it('keeps only the newest process of a member, and lets only that process leave', async (t) => {
      const { coordination } = await fixture(t);
      const boots = (members: readonly Member[]) => members.map(({ id, boot }) => `${id}${boot}`).sort();
      assert.deepEqual(boots(await coordination.beat(aMember('a', '1', 100), LIFE_MS)), ['a1']);
      assert.deepEqual(boots(await coordination.beat(aMember('a', '2', 200), LIFE_MS)), ['a2']);
      assert.deepEqual(boots(await coordination.beat(aMember('a', '1', 100), LIFE_MS)), ['a2']);
      await coordination.part({ id: 'a', boot: '1' });
      assert.deepEqual(boots(await coordination.beat(aMember('b', '1', 300), LIFE_MS)), ['a2', 'b1']);
      await coordination.part({ id: 'a', boot: '2' });
      assert.deepEqual(await coordination.beat(aMember('b', '1', 300), LIFE_MS), [aMember('b', '1', 300)]);
    });

    it('counts a call in all of its sliding windows, or in none', async (t) => {
      const { coordination } = await fixture(t);
      const window = (key: string, max: number) => ({ key, max, windowMs: LIFE_MS });
      const [first, second, third] = await coordination.count([
        [window('w', 3), window('v', 2)],
        [window('w', 3), window('v', 2)],
        [window('w', 3), window('v', 2)],
      ]);
      const said = (counted: typeof first) => counted?.map(({ ok, remaining }) => `${ok} ${remaining}`);
      assert.deepEqual(
        [said(first), said(second), said(third)],
        [
          ['true 2', 'true 1'],
          ['true 1', 'true 0'],
          ['true 1', 'false 0'],
        ],
      );
      assert.ok(third?.every(({ resetMs }) => resetMs > LIFE_MS - 5_000 && resetMs <= LIFE_MS));
      const [[lowered] = []] = await coordination.count([[window('w', 1)]]);
      assert.deepEqual([lowered?.ok, lowered?.remaining], [false, 0]);
      assert.deepEqual((await coordination.count([[window('w', 0)], [window('free', 0)]])).map(said), [['false 0'], ['false 0']]);
      assert.deepEqual(said((await coordination.count([[window('w', 3)]]))[0]), ['true 0']);
    });

    it('limits the number of seats, and frees those that are released or expire', async (t) => {
      const { coordination, pass } = await fixture(t);
      const acquireSeat = (seat: string, most: number | null = 2) => coordination.acquireSeat('r', seat, most, LIFE_MS);
      assert.deepEqual(
        [await acquireSeat('a'), await acquireSeat('b'), await acquireSeat('c'), await acquireSeat('a')],
        [true, true, false, true],
      );
      assert.deepEqual([await acquireSeat('d', null), await acquireSeat('e')], [true, false]);
      await coordination.releaseSeat('r', 'b');
      await coordination.releaseSeat('r', 'd');
      assert.deepEqual([await acquireSeat('c'), await acquireSeat('e')], [true, false]);
      assert.equal(await coordination.acquireSeat('short', 'a', 1, 1), true);
      await pass(5);
      assert.equal(await coordination.acquireSeat('short', 'b', 1, LIFE_MS), true);
    });

    it('returns the number of receivers of a published message', async (t) => {
      const { coordination } = await fixture(t);
      const received: string[] = [];
      await realTime.until(() =>
        coordination
          .subscribe('c', (text) => received.push(text))
          .then(
            () => true,
            () => false,
          ),
      );
      assert.deepEqual([await coordination.publish('c', 'hello'), await coordination.publish('d', 'hello')], [1, 0]);
      await realTime.until(() => received.length > 0);
      assert.deepEqual(received, ['hello']);
    });
  });
}

whereRedisIs('a Redis with a password', () => {
  it('is used with the database number and password from the URL', async (t) => {
    const redis = await aRedis(t);
    await redis.run((client) => client.config('SET', 'requirepass', 'a word'));
    const [known, stranger] = ['default:a%20word@', ''].map((who) => redisCoordination({ url: `redis://${who}127.0.0.1:${redis.port}/3` }));
    t.after(() => Promise.all([known!.close(), stranger!.close()]));
    await realTime.until(() =>
      known!.acquireSeat('r', 's', 1, LIFE_MS).then(
        () => true,
        () => false,
      ),
    );
    await assert.rejects(stranger!.ping(), /Redis: .*(NOAUTH|writeable)/);
    assert.equal((await known!.count([[{ key: 'w', max: 1, windowMs: LIFE_MS }]]))[0]?.[0]?.ok, true);
  });
});
