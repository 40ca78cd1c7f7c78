import type { AccountRow, Funding } from '../../../store/billing/accounts.ts';
import type { InvoicePayment, InvoiceRow } from '../../../store/billing/invoices.ts';
import { type BillingContext, type Change, inStatus, moved, planChanged, unchanged, withCredit } from './account.ts';
import type { PaymentFact, RefundEnds, Working } from './payment.ts';
import { anchorOf } from './periods.ts';
import { withDaysTaken, withPaidBesides } from './unused-days.ts';

/**
 * Applies refunds and disputes: shortens the paid time, or deducts the credit that the payment
 * became. Pure.
 */

export function followed(working: Working, fact: PaymentFact, context: BillingContext, ends: RefundEnds): Working {
  const known = working.invoice.payments.find(({ id }) => id === fact.id);
  if (!known) return working;
  const dispute = fact.dispute ?? (known.dispute === 'open' ? 'won' : known.dispute);
  if (known.refunded >= fact.refunded && known.dispute === dispute) return working;
  const payment = { ...known, refunded: Math.max(known.refunded, fact.refunded), dispute };
  const payments = working.invoice.payments.map((one) => (one.id === fact.id ? payment : one));
  const next = { ...working, invoice: { ...working.invoice, payments } };
  if (payment.became === 'credit') return isGone(payment) && !isGone(known) ? takenBack(next, payment, context) : next;
  if (payment.became === 'rejected') return next;
  if (isGone(payment)) return refunded(next, context, ends);
  if (payment.dispute === 'open') return disputed(next, context);
  return payment.dispute === 'won' ? undisputed(next, context) : audited(next, 'payment.refund', context);
}

const isGone = ({ dispute, refunded: back, amount }: InvoicePayment): boolean => dispute === 'lost' || back >= amount;

function disputed(working: Working, context: BillingContext): Working {
  const { account, invoice } = working;
  if (invoice.status !== 'paid') return working;
  const next = { ...account, disputed: [...account.disputed, invoice._id] };
  return announced({ ...working, account: next, invoice: inStatus(invoice, 'disputed') }, 'invoice.disputed', context);
}

function undisputed(working: Working, context: BillingContext): Working {
  const { account, invoice } = working;
  if (invoice.status !== 'disputed') return working;
  const next = { ...account, disputed: account.disputed.filter((id) => id !== invoice._id) };
  return audited({ ...working, account: next, invoice: inStatus(invoice, 'paid') }, 'payment.dispute_won', context);
}

export function refunded(working: Working, context: BillingContext, ends: RefundEnds): Working {
  const { account, invoice } = working;
  if (invoice.status !== 'paid' && invoice.status !== 'disputed') return working;
  const cleared = withDaysTaken({ ...account, disputed: account.disputed.filter((id) => id !== invoice._id) }, invoice);
  const change = ends === 'now' ? defunded(cleared, invoice, context) : unchanged(endedLater(cleared, invoice._id, context));
  const next = { account: change.account, invoice: inStatus(invoice, 'refunded'), outbox: [...working.outbox, ...change.outbox] };
  return announced(next, 'invoice.refunded', context);
}

/** Ignores a period that has ended, even if its end has not been processed yet. */
const boughtBy = ({ funding }: AccountRow, invoice: string, { now }: BillingContext): Funding | undefined =>
  funding.find((part) => part.invoice === invoice && part.end > now);

function endedLater(account: AccountRow, invoice: string, context: BillingContext): AccountRow {
  return boughtBy(account, invoice, context) ? { ...account, cancel_at_period_end: true, pending_plan: null } : account;
}

function defunded(account: AccountRow, invoice: InvoiceRow, context: BillingContext): Change {
  const gone = boughtBy(account, invoice._id, context);
  if (!gone) return unchanged(account);
  const length = gone.end - Math.max(gone.start, context.now);
  const kept = account.funding.filter((part) => part !== gone);
  const funding = kept.map((part) => (part.start >= gone.end ? { ...part, start: part.start - length, end: part.end - length } : part));
  const [running] = funding;
  const last = funding.at(-1);
  // The next period starts at the new end of the last one.
  const anchor = last && last.end !== kept.at(-1)?.end ? anchorOf(account.anchor_zone ?? context.zone, last.end) : account.anchor;
  const credited = withPaidBesides(account, invoice);
  const next: AccountRow = running
    ? { ...credited, funding, anchor, plan: running.plan, period: { start: running.start, end: running.end } }
    : freed(credited);
  return planChanged(account, moved(account, 'refunded', next), context);
}

export const freed = (account: AccountRow): AccountRow => ({
  ...account,
  plan: 'free',
  funding: [],
  period: null,
  grace_until: null,
  cancel_at_period_end: false,
  pending_plan: null,
  reminded: null,
});

function takenBack(working: Working, payment: InvoicePayment, context: BillingContext): Working {
  const { currency } = working.invoice;
  const taken = Math.min(payment.amount, working.account.credit[currency]);
  return audited({ ...working, account: withCredit(working.account, currency, -taken) }, 'payment.refund', context);
}

function announced(working: Working, type: 'invoice.refunded' | 'invoice.disputed', context: BillingContext): Working {
  const { _id: id, plan, amount, currency } = working.invoice;
  const event = { kind: 'event', type, row: id, at: context.now, data: { invoice_id: id, plan, amount, currency } } as const;
  const next = { ...working, outbox: [...working.outbox, event] };
  return audited(next, type === 'invoice.refunded' ? 'payment.refund' : 'payment.dispute', context);
}

function audited(working: Working, action: string, { now, newId }: BillingContext): Working {
  const { _id, payments } = working.invoice;
  const changes = payments.flatMap(({ id, refunded: back, dispute }) => [
    { field: `${id}.refunded`, from: null, to: back },
    { field: `${id}.dispute`, from: null, to: dispute },
  ]);
  return { ...working, outbox: [...working.outbox, { kind: 'audit', key: newId(), action, at: now, target: _id, changes }] };
}
