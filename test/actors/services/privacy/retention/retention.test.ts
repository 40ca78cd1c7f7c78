import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changed, daysAt } from '../../../../../actors/services/privacy/retention/retention.ts';

const DAY = 86_400_000;
const days = (messages: number, media = 0) => ({ messages, media, webhooks: 0, audit: 0 });

it('a shorter retention period takes effect after a day, and can be cancelled until then', () => {
  const asked = changed(null, { messages: 30 }, 0);
  assert.deepEqual(asked, { days: days(0), pending: { days: days(30), effective_at: DAY } });
  assert.deepEqual(daysAt(asked, DAY - 1), days(0));
  assert.deepEqual(daysAt(asked, DAY), days(30));
  assert.deepEqual(changed(asked, { messages: 0 }, DAY - 1), { days: days(0), pending: null });
});

it('a longer retention period takes effect immediately, even if a shorter one is pending for other data', () => {
  const row = { days: days(30, 30), pending: null };
  assert.deepEqual(changed(row, { messages: 60, media: 10 }, 0), {
    days: days(60, 30),
    pending: { days: days(60, 10), effective_at: DAY },
  });
  assert.deepEqual(changed(row, { messages: 0 }, 0), { days: days(0, 30), pending: null });
});

it('a pending retention period waits another full day if it is made even shorter', () => {
  const row = { days: days(90), pending: { days: days(30), effective_at: DAY } };
  assert.equal(changed(row, { messages: 10 }, 1000).pending?.effective_at, DAY + 1000);
  assert.equal(changed(row, { messages: 60 }, 1000).pending?.effective_at, DAY);
  assert.equal(changed(row, { media: 7 }, 1000).pending?.effective_at, DAY + 1000);
  assert.deepEqual(changed(row, { messages: 30 }, 2 * DAY), { days: days(30), pending: null }, 'it holds by now');
});
