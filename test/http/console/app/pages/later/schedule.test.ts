import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  changesOf,
  clockOf,
  linesOf,
  type Recurring,
  scheduleText,
  timeOf,
} from '../../../../../../http/console/app/pages/later/schedule.ts';

const WORDS = {
  daily: (time: string) => `every day at ${time}`,
  weekly: (day: string, time: string) => `every ${day} at ${time}`,
  monthly: (day: number, time: string) => `on day ${day} at ${time}`,
  interval: (days: number, time: string) => `every ${days} days at ${time}`,
};

it("a recurring schedule is described with day names in the reader's language", () => {
  const at = { hour: 9, minute: 5 };
  assert.equal(scheduleText('daily', at, 'en', WORDS), 'every day at 09:05');
  assert.equal(scheduleText('weekly', { ...at, day: 0 }, 'en', WORDS), 'every Sunday at 09:05');
  assert.equal(scheduleText('weekly', { ...at, day: 5 }, 'id', WORDS), 'every Jumat at 09:05');
  assert.equal(scheduleText('monthly', { ...at, day: 31 }, 'en', WORDS), 'on day 31 at 09:05');
  assert.equal(scheduleText('interval', { ...at, every_days: 3 }, 'en', WORDS), 'every 3 days at 09:05');
});

it('a formatted time is parsed back to the same hour and minute', () => {
  for (const clock of [
    { hour: 0, minute: 0 },
    { hour: 23, minute: 59 },
  ])
    assert.deepEqual(clockOf(timeOf(clock)), clock);
  assert.deepEqual(linesOf(' +6281\n\n 6282 \n'), ['+6281', '6282']);
});

it('saving an edited recurring message sends only the changed fields, with the schedule as one field', () => {
  const schedule = { schedule_type: 'weekly', schedule_config: { hour: 9, minute: 0, day: 5 }, timezone: 'Asia/Jakarta' } as const;
  const form = { name: 'Offer', targets: ['6281211110001@s.whatsapp.net'], message: 'Fresh bread', ...schedule };
  const stored: Recurring = {
    ...form,
    id: 'r1',
    session_id: 's1',
    media_r2_key: null,
    message_type: 'text',
    is_active: true,
    next_run_at: null,
    last_run_at: null,
    created_at: 0,
  };
  const { schedule_type, schedule_config } = schedule;
  assert.deepEqual(changesOf(stored, form), {});
  assert.deepEqual(changesOf(stored, { ...form, schedule_config: { day: 5, minute: 0, hour: 9 } }), {});
  assert.deepEqual(changesOf(stored, { ...form, timezone: null }), { timezone: null });
  assert.deepEqual(changesOf(stored, { ...form, message: 'Fresh cake' }), { message: 'Fresh cake' });
  assert.deepEqual(changesOf(stored, { ...form, schedule_type: 'monthly' }), { schedule_type: 'monthly', schedule_config });
  const earlier = { ...schedule_config, hour: 8 };
  assert.deepEqual(changesOf(stored, { ...form, schedule_config: earlier }), { schedule_type, schedule_config: earlier });
});
