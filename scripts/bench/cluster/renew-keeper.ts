import { type Cancel, type Clock, systemClock } from '../../../runtime/clock.ts';
import { LeaseKeeper } from '../../../runtime/cluster/lease-keeper.ts';
import { redisCoordination } from '../../../runtime/cluster/redis/coordination.ts';
import { at } from '../../../runtime/invariant.ts';
import { benchRedis, HOLDER_BOOT, KEYS, measureRenewals, TTL_MS } from './renewals.ts';

/** Starts rounds on request. A round is over when the keeper schedules the next one. */
class RoundsOnDemand implements Clock {
  readonly now = systemClock.now;
  readonly monotonic = systemClock.monotonic;
  #round: (() => void) | null = null;
  #isSet = (): void => {};

  after(ms: number, run: () => void): Cancel {
    if (ms > TTL_MS / 2) return () => {};
    this.#round = run;
    this.#isSet();
    return () => {};
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#isSet = resolve;
      this.#round?.();
    });
  }
}

await using redis = await benchRedis();
const coordination = redisCoordination({ url: redis.url });
const clock = new RoundsOnDemand();
const log = { info() {}, warn: console.error, error: console.error };
const keeper = new LeaseKeeper(coordination, { self: { id: 'a', boot: HOLDER_BOOT }, ttlMs: TTL_MS, clock, log });
while ((await keeper.acquire(at(KEYS, 0))) === null) await new Promise(setImmediate);
await Promise.all(KEYS.map((key) => keeper.acquire(key)));

await measureRenewals(redis, async () => {
  await clock.next();
  if (keeper.held().length !== KEYS.length) throw new Error('error: a lease was not renewed');
});
await coordination.close();
