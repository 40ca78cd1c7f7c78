import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRegexCheck } from '../../../../actors/services/auto-reply/regex-check.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';

/** Takes seconds to judge. */
const SLOW = '^(\\w+ ){1,40}x$';

it('the pattern check accepts a safe pattern that was queued behind an unsafe one', async (t) => {
  const clock = new VirtualClock();
  const check = createRegexCheck(clock);
  t.after(() => check.close());
  const slow = assert.rejects(check.expectSafe('t', SLOW, false), { code: 'UNSAFE_REGEX' });
  const next = check.expectSafe('t', 'order.*late', false);
  await slow;
  await next;
});

it('the pattern check rejects further patterns while too many are pending', async (t) => {
  const check = createRegexCheck(new VirtualClock());
  t.after(() => check.close());
  const asked = await Promise.allSettled(Array.from({ length: 22 }, () => check.expectSafe('t', 'halo', false)));
  const refused = asked.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code);
  assert.deepEqual(refused, ['OVERLOADED']);
});
