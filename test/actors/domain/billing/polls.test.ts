import assert from 'node:assert/strict';
import { it } from 'node:test';
import { firstPoll, polled, pollSoon } from '../../../../actors/domain/billing/polls.ts';
import type { Poll } from '../../../../store/billing/accounts.ts';
import { anInvoice } from '../../../support/billing/asked.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

it('an unpaid invoice is polled after 1, 5 and 15 minutes, 1 and 6 hours, at expiry, and daily for a week', () => {
  const invoice = { ...anInvoice('sandbox', 'IDR'), created_at: 0, expires_at: DAY };
  const times: number[] = [];
  let polls: readonly Poll[] = [firstPoll(invoice)];
  for (let [poll] = polls; poll; [poll] = polls) {
    times.push(poll.at);
    polls = polled(polls, invoice, poll.at);
  }
  const late = [1, 2, 3, 4, 5, 6, 7].map((day) => DAY + day * DAY);
  assert.deepEqual(times, [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, ...late]);
});

it('a paid invoice is not polled, and a failed poll is retried after a minute', () => {
  const invoice = { ...anInvoice('sandbox', 'IDR'), created_at: 0, expires_at: DAY };
  const other = { invoice: 'other', count: 0, at: 5 };
  const polls = [other, firstPoll(invoice)];
  assert.deepEqual(polled(polls, { ...invoice, status: 'paid' }, MINUTE), [other]);
  assert.deepEqual(pollSoon(polls, invoice, HOUR).at(-1), {
    invoice: invoice._id,
    count: 0,
    at: HOUR + MINUTE,
    failing_since: HOUR,
  });
  assert.equal(polled(polls, { ...invoice, status: 'void' }, MINUTE).length, 2, 'one that was replaced may be paid all the same');
});

it('failing invoice polls are retried with growing delays, keep the regular times, and stop after a week', () => {
  const invoice = { ...anInvoice('sandbox', 'IDR'), created_at: 0, expires_at: DAY };
  const asked = (first: readonly Poll[], now: number): number[] => {
    const times: number[] = [];
    let polls = pollSoon(first, invoice, now);
    for (let [poll] = polls; poll && times.length < 1_000; [poll] = polls) {
      times.push(poll.at);
      polls = pollSoon(polls, invoice, poll.at);
    }
    return times;
  };
  const times = asked([firstPoll(invoice)], MINUTE);
  assert.deepEqual(times.slice(0, 3), [2 * MINUTE, 3 * MINUTE, 5 * MINUTE]);
  for (const at of [15 * MINUTE, HOUR, 6 * HOUR, DAY, 8 * DAY]) assert.ok(times.includes(at), `${at}`);
  assert.ok(times.length < 40 && (times.at(-1) ?? 0) <= 8 * DAY, `${times.length} times`);
  // Long after it was paid its provider told of a refund, and then did not answer.
  const refund = asked([], 90 * DAY);
  assert.ok(
    refund.length > 10 && refund.length < 40 && (refund.at(-1) ?? 0) >= 97 * DAY && (refund.at(-1) ?? 0) <= 98 * DAY,
    refund.join(),
  );
});

it('an invoice is no longer marked as failing after a successful poll', () => {
  const invoice = { ...anInvoice('sandbox', 'IDR'), created_at: 0, expires_at: DAY };
  const failing = pollSoon([firstPoll(invoice)], invoice, MINUTE);
  assert.deepEqual(polled(failing, invoice, 2 * MINUTE), [{ invoice: invoice._id, count: 1, at: 5 * MINUTE }]);
});
