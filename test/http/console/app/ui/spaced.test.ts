import assert from 'node:assert/strict';
import { it } from 'node:test';
import { spaced } from '../../../../../http/console/app/ui/spaced.ts';

it('a throttled function runs immediately, then at most once per interval, and a last time at the end', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const done: number[] = [];
  const loads = spaced(() => void done.push(Date.now()), 5_000);
  for (let second = 0; second < 30; second += 1) {
    for (const _twice of [1, 2]) if (second <= 12) loads.ask();
    t.mock.timers.tick(1_000);
  }
  assert.deepEqual(done, [0, 5_000, 10_000, 15_000]);
  loads.ask();
  assert.deepEqual(done.slice(4), [30_000], 'after a rest it is done at once');
  loads.ask();
  loads.stop();
  t.mock.timers.tick(60_000);
  assert.equal(done.length, 5, 'nothing is done once it was stopped');
});
