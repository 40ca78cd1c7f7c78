import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LoginRateLimiter } from '../../../../actors/device/effects/login-rate-limiter.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';

const SECOND = 1_000;

/** The steps of time that were taken, on a clock that needs nothing to settle. */
function aClock() {
  const count = { steps: 0 };
  const clock = new VirtualClock(0, async () => {
    count.steps += 1;
  });
  return { clock, count };
}

/** Timers of real runtimes ring on whole milliseconds, and `lateMs` after them. */
const coarse = (clock: VirtualClock, lateMs: number): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  after: (ms, run) => clock.after(Math.max(1, Math.ceil(ms)) + lateMs, run),
});

/** Requests `count` logins together and returns the times at which they started. */
function allAtOnce(gate: LoginRateLimiter, clock: Clock, count: number): readonly number[] {
  const begun: number[] = [];
  for (let nth = 0; nth < count; nth += 1) gate.enter('acme', () => begun.push(clock.monotonic()));
  return begun;
}

/** `begun` in the order of time. */
function mostInASecond(begun: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [nth, at] of begun.entries()) {
    while (begun[first]! <= at - SECOND) first += 1;
    most = Math.max(most, nth - first + 1);
  }
  return most;
}

for (const perSecond of [3, 200, 997, 3_000, 7_777])
  it(`login rate limiting allows exactly ${perSecond} logins per second`, async () => {
    const { clock, count } = aClock();
    await clock.advance(123_456.789);
    count.steps = 0;
    const begun = allAtOnce(new LoginRateLimiter(clock, perSecond), clock, perSecond * 3);
    await clock.advance(2 * SECOND);
    assert.ok(Math.abs(begun.length - 2 * perSecond) <= 1 + perSecond / SECOND, `${begun.length} in two seconds`);
    assert.ok(mostInASecond(begun) <= perSecond + 1 + perSecond / SECOND, `${mostInASecond(begun)} in one`);
    assert.ok(count.steps <= 2 * SECOND + 2, `${count.steps} steps of time`);
  });

it('the login rate limiter reaches its full rate despite late timers, and does not catch up after a stall', async () => {
  const { clock } = aClock();
  const late = coarse(clock, 2);
  const gate = new LoginRateLimiter(late, 5_000);
  const begun = allAtOnce(gate, clock, 20_000);
  await clock.advance(SECOND);
  assert.ok(begun.length > 4_950 && begun.length <= 5_010, `${begun.length} in a second`);

  const slow = new LoginRateLimiter(coarse(clock, 200), 5_000);
  const stalled = allAtOnce(slow, clock, 20_000);
  await clock.advance(SECOND);
  assert.ok(stalled.length <= 5 * 60, `${stalled.length} in a second that had five moments`);
});

it('the login rate limiter does not save unused slots for later', async () => {
  const { clock } = aClock();
  const gate = new LoginRateLimiter(clock, 10);
  await clock.advance(60 * SECOND);
  const begun = allAtOnce(gate, clock, 5);
  await clock.advance(0);
  assert.equal(begun.length, 1);
  await clock.advance(400);
  assert.equal(begun.length, 5);
});

it('the login rate limiter alternates between tenants, so many devices of one do not delay the others', async () => {
  const { clock } = aClock();
  const gate = new LoginRateLimiter(clock, 10);
  const begun: string[] = [];
  for (let nth = 0; nth < 1_000; nth += 1) gate.enter('large', () => begun.push(`large ${nth}`));
  for (const tenant of ['one', 'two']) for (const nth of [0, 1]) gate.enter(tenant, () => begun.push(`${tenant} ${nth}`));
  await clock.advance(SECOND - 1);
  assert.deepEqual(begun, ['large 0', 'one 0', 'two 0', 'large 1', 'one 1', 'two 1', 'large 2', 'large 3', 'large 4', 'large 5']);
  assert.equal(gate.depth, 994);
});

it('the login rate limiter does not use a slot for a login that has left the queue', async () => {
  const { clock } = aClock();
  const gate = new LoginRateLimiter(clock, 1_000);
  const left: string[] = [];
  const leave = gate.enter('acme', () => left.push('gone'));
  gate.enter('acme', () => left.push('next'));
  leave();
  assert.equal(gate.depth, 1);
  await clock.advance(1);
  assert.deepEqual(left, ['next']);
});
