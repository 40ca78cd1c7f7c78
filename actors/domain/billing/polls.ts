import { at as firstOf } from '../../../runtime/invariant.ts';
import type { AccountRow, Poll } from '../../../store/billing/accounts.ts';
import type { InvoiceRow } from '../../../store/billing/invoices.ts';

/**
 * Decides when to poll the provider, so that a payment is found even if its webhook is lost. Pure.
 * The planned polls are stored in the account.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const EARLY_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];
const LATE_DAYS = 7;
const MAX_POLLS = 20;

function timesOf({ created_at, expires_at }: Pick<InvoiceRow, 'created_at' | 'expires_at'>): readonly number[] {
  const early = EARLY_MS.map((ms) => created_at + ms).filter((at) => at < expires_at);
  const late = Array.from({ length: LATE_DAYS + 1 }, (_, day) => expires_at + day * DAY_MS);
  return [...early, ...late];
}

export const firstPoll = (invoice: InvoiceRow): Poll => ({ invoice: invoice._id, count: 0, at: firstOf(timesOf(invoice), 0) });

export function polled(polls: AccountRow['polls'], invoice: InvoiceRow, now: number): readonly Poll[] {
  const others = polls.filter((poll) => poll.invoice !== invoice._id);
  const mine = polls.find((poll) => poll.invoice === invoice._id);
  const isSettled = !['open', 'expired', 'void'].includes(invoice.status);
  const at = timesOf(invoice).find((time) => time > now);
  if (!mine || isSettled || at === undefined) return others;
  return [...others, { invoice: invoice._id, count: mine.count + 1, at }].slice(-MAX_POLLS);
}

/** The longer polling has failed, the longer the wait, up to a day. */
export function pollSoon(polls: AccountRow['polls'], invoice: InvoiceRow, now: number): readonly Poll[] {
  const others = polls.filter((poll) => poll.invoice !== invoice._id);
  const { count = 0, at: planned = now, failing_since = now } = polls.find((poll) => poll.invoice === invoice._id) ?? {};
  if (now >= Math.max(failing_since, invoice.expires_at) + LATE_DAYS * DAY_MS) return others;
  const wait = Math.min(Math.max(now - failing_since, MINUTE_MS), DAY_MS);
  const at = Math.min(...[now + wait, planned, ...timesOf(invoice)].filter((time) => time > now));
  return [...others, { invoice: invoice._id, count, at, failing_since }].slice(-MAX_POLLS);
}
