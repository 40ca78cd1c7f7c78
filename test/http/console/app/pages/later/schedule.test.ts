import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clockOf, linesOf, scheduleText, timeOf } from '../../../../../../http/console/app/pages/later/schedule.ts';

const WORDS = {
  daily: (time: string) => `every day at ${time}`,
  weekly: (day: string, time: string) => `every ${day} at ${time}`,
  monthly: (day: number, time: string) => `on day ${day} at ${time}`,
  interval: (days: number, time: string) => `every ${days} days at ${time}`,
};

it('a schedule is told in words, with the names of the days in the language of the reader', () => {
  const at = { hour: 9, minute: 5 };
  assert.equal(scheduleText('daily', at, 'en', WORDS), 'every day at 09:05');
  assert.equal(scheduleText('weekly', { ...at, day: 0 }, 'en', WORDS), 'every Sunday at 09:05');
  assert.equal(scheduleText('weekly', { ...at, day: 5 }, 'id', WORDS), 'every Jumat at 09:05');
  assert.equal(scheduleText('monthly', { ...at, day: 31 }, 'en', WORDS), 'on day 31 at 09:05');
  assert.equal(scheduleText('interval', { ...at, every_days: 3 }, 'en', WORDS), 'every 3 days at 09:05');
});

it('what an input of a time holds is read back as it was', () => {
  for (const clock of [
    { hour: 0, minute: 0 },
    { hour: 23, minute: 59 },
  ])
    assert.deepEqual(clockOf(timeOf(clock)), clock);
  assert.deepEqual(linesOf(' +6281\n\n 6282 \n'), ['+6281', '6282']);
});
