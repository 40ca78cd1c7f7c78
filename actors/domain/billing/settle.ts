import { at } from '../../../runtime/invariant.ts';
import type { AccountRow, BillingOutboxItem, Funding } from '../../../store/billing/accounts.ts';
import type { InvoicePayment, InvoiceRow } from '../../../store/billing/invoices.ts';
import {
  type BillingContext,
  type Change,
  inStatus,
  moved,
  periodEndOf,
  planChanged,
  stateOf,
  unchanged,
  withCredit,
  written,
} from './account.ts';
import { anchorOf, periodEnd } from './periods.ts';
import { polled, pollSoon } from './polls.ts';
import { receiptText } from './texts.ts';

const DAY_MS = 86_400_000;

/** A payment as its provider tells it when asked. */
export interface PaymentFact {
  readonly id: string;
  /** What was paid for the invoice, without fees that the provider put on the customer. */
  readonly amount: number;
  readonly currency: string;
  /** The provider's record names our reference. */
  readonly isOurs: boolean;
  readonly refunded: number;
  readonly dispute: InvoicePayment['dispute'];
  readonly evidence: string;
}

/** When the plan ends that a refunded payment bought. */
export type RefundEnds = 'now' | 'period_end';

/** The provider was asked about this invoice: the payments that it knows of. Repeated, it changes nothing. */
export function confirmed(
  account: AccountRow,
  invoice: InvoiceRow,
  facts: readonly PaymentFact[],
  context: BillingContext,
  ends: RefundEnds = 'now',
): Change {
  let change: Working = { account, invoice: { ...invoice, unverified: false }, outbox: [] };
  for (const fact of facts) change = followed(received(change, fact, context), fact, context, ends);
  const polls = polled(change.account.polls, change.invoice, context.now);
  const isSame = change.invoice.payments === invoice.payments && !invoice.unverified && change.outbox.length === 0;
  const next = { ...change.account, polls };
  if (isSame && change.account === account) return isPolled(account, polls) ? { account: next, outbox: [] } : unchanged(account);
  return { account: next, outbox: [written(account, change.invoice), ...change.outbox] };
}

const isPolled = (account: AccountRow, polls: AccountRow['polls']): boolean =>
  polls.length !== account.polls.length ||
  polls.some((poll, i) => poll.at !== account.polls[i]?.at || poll.invoice !== account.polls[i]?.invoice);

/** It could not be asked, though somebody said that there is something to ask. */
export function unverified(account: AccountRow, invoice: InvoiceRow, { now }: BillingContext): Change {
  const polls = pollSoon(account.polls, invoice, now);
  return { account: { ...account, polls }, outbox: invoice.unverified ? [] : [written(account, { ...invoice, unverified: true })] };
}

/** An invoice over nothing, or one that credit pays in full. */
export function paidFromCredit(account: AccountRow, invoice: InvoiceRow, context: BillingContext): Change {
  const paid = settled({ account, invoice, outbox: [] }, context);
  const polls = paid.account.polls.filter((poll) => poll.invoice !== invoice._id);
  return { account: { ...paid.account, polls }, outbox: [written(account, paid.invoice), ...paid.outbox] };
}

interface Working {
  readonly account: AccountRow;
  readonly invoice: InvoiceRow;
  readonly outbox: readonly BillingOutboxItem[];
}

/** A payment that was not known: it pays the invoice, becomes credit, or does not fit. */
function received(working: Working, fact: PaymentFact, context: BillingContext): Working {
  const { account, invoice } = working;
  if (invoice.payments.some(({ id }) => id === fact.id)) return working;
  const misfit = misfitOf(invoice, fact);
  if (misfit !== null) return noted(working, fact, 'rejected', misfit, context);
  if (!canSettle(account, invoice)) {
    const credited = { ...working, account: withCredit(account, invoice.currency, fact.amount) };
    return noted(credited, fact, 'credit', invoice.paid_at === null ? 'late' : 'second payment', context);
  }
  return settled(noted(working, fact, 'settlement', null, context), context);
}

function misfitOf(invoice: InvoiceRow, { amount, currency, isOurs }: PaymentFact): string | null {
  if (!isOurs) return 'reference';
  if (currency !== invoice.currency) return 'currency';
  return amount === invoice.amount ? null : 'amount';
}

/** Do its lines still hold? Days that it gives back must not be used or given back meanwhile, nor the credit that it uses. */
function canSettle(account: AccountRow, invoice: InvoiceRow): boolean {
  if (invoice.status !== 'open' && invoice.status !== 'expired') return false;
  const hasCredit = invoice.status === 'open' || account.credit[invoice.currency] >= invoice.held;
  if (!hasCredit || invoice.kind === 'overage') return hasCredit;
  if (account.basis === invoice.basis) return true;
  return invoice.unused + invoice.leftover === 0 && (account.funding.length === 0 || account.plan === invoice.plan);
}

function noted(
  working: Working,
  fact: PaymentFact,
  became: InvoicePayment['became'],
  reason: string | null,
  { now, newId }: BillingContext,
): Working {
  const { invoice } = working;
  const { id, amount, currency, evidence } = fact;
  const payment: InvoicePayment = { id, amount, currency, at: now, became, reason, refunded: 0, dispute: null, evidence };
  const action = { settlement: 'payment.settle', credit: 'payment.credit', rejected: 'payment.reject' }[became];
  return {
    ...working,
    invoice: {
      ...invoice,
      payments: [...invoice.payments, payment],
      rejected: invoice.rejected || became === 'rejected',
    },
    outbox: [
      ...working.outbox,
      {
        kind: 'audit',
        key: newId(),
        action,
        at: now,
        target: invoice._id,
        changes: [
          { field: 'payment', from: null, to: id },
          { field: 'amount', from: null, to: amount },
          { field: 'currency', from: null, to: currency },
          { field: 'reason', from: null, to: reason },
        ],
      },
    ],
  };
}

/** The invoice is paid: its plan begins, or goes on. */
function settled({ account, invoice, outbox }: Working, context: BillingContext): Working {
  const { now } = context;
  const takesAgain = invoice.status === 'expired' ? -invoice.held : 0;
  const paid = { ...inStatus(invoice, 'paid'), paid_at: now };
  const closed: AccountRow = {
    ...withCredit(account, invoice.currency, takesAgain + invoice.leftover),
    open: account.open?.invoice === invoice._id ? null : account.open,
    owing: account.owing.filter((one) => one.invoice !== invoice._id),
    overdue: account.overdue.filter((id) => id !== invoice._id),
    provider: invoice.provider,
    currency: invoice.currency,
  };
  const funded = invoice.kind === 'plan' ? fundedBy(closed, paid, context) : null;
  const change = funded ? planChanged(account, moved(account, 'paid', funded.account), context) : unchanged(closed);
  const done = funded ? { ...paid, period_start: funded.start, period_end: funded.end } : paid;
  return { account: change.account, invoice: done, outbox: [...outbox, ...change.outbox, ...announced(change.account, done, context)] };
}

/** Paid time: after what is paid already for the same plan, else from now on, and instead of what was. */
function fundedBy(account: AccountRow, invoice: InvoiceRow, { now, zone }: BillingContext) {
  const end = periodEndOf(account);
  const isAfter = end !== null && stateOf(account) !== 'free' && (account.plan === invoice.plan || account.pending_plan === invoice.plan);
  // After a long silence the grace days are a gift: nobody pays for time that is over.
  const start = isAfter && (account.funding.length > 0 || end + 31 * DAY_MS > now) ? end : now;
  const anchor = isAfter ? account.anchor : anchorOf(zone, now);
  const part = {
    invoice: invoice._id,
    plan: invoice.plan,
    start,
    end: periodEnd(zone, start, anchor),
    value: invoice.value,
    currency: invoice.currency,
  };
  const funding = isAfter ? [...account.funding, part] : [part];
  const running = at(funding, 0);
  return {
    start,
    end: part.end,
    account: {
      ...account,
      plan: running.plan,
      funding,
      period: { start: running.start, end: running.end },
      anchor,
      grace_until: null,
      cancel_at_period_end: false,
      pending_plan: null,
      reminded: null,
    },
  };
}

function announced(account: AccountRow, invoice: InvoiceRow, context: BillingContext): readonly BillingOutboxItem[] {
  const { now } = context;
  const { _id: id, plan, amount, currency, period_end } = invoice;
  return [
    {
      kind: 'event',
      type: 'invoice.paid',
      row: id,
      at: now,
      data: { invoice_id: id, plan, amount, currency, period_end },
    },
    { kind: 'message', key: `receipt:${id}`, text: receiptText(account, invoice, context), invoice: id, until: now + DAY_MS },
  ];
}

/** What became of a payment that is known: money that went back, or that somebody disputes. */
function followed(working: Working, fact: PaymentFact, context: BillingContext, ends: RefundEnds): Working {
  const known = working.invoice.payments.find(({ id }) => id === fact.id);
  if (!known) return working;
  const dispute = fact.dispute ?? (known.dispute === 'open' ? 'won' : known.dispute);
  if (known.refunded >= fact.refunded && known.dispute === dispute) return working;
  const payment = { ...known, refunded: Math.max(known.refunded, fact.refunded), dispute };
  const payments = working.invoice.payments.map((one) => (one.id === fact.id ? payment : one));
  const next = { ...working, invoice: { ...working.invoice, payments } };
  const isGone = payment.dispute === 'lost' || payment.refunded >= payment.amount;
  if (payment.became === 'credit') return isGone ? takenBack(next, payment, context) : next;
  if (payment.became === 'rejected') return next;
  if (isGone) return refunded(next, context, ends);
  if (payment.dispute === 'open') return disputed(next, context);
  return payment.dispute === 'won' ? undisputed(next, context) : audited(next, 'payment.refund', context);
}

function disputed(working: Working, context: BillingContext): Working {
  const { account, invoice } = working;
  if (invoice.status !== 'paid') return working;
  const next = { ...account, disputed: [...account.disputed, invoice._id] };
  return told({ ...working, account: next, invoice: inStatus(invoice, 'disputed') }, 'invoice.disputed', context);
}

function undisputed(working: Working, context: BillingContext): Working {
  const { account, invoice } = working;
  if (invoice.status !== 'disputed') return working;
  const next = { ...account, disputed: account.disputed.filter((id) => id !== invoice._id) };
  return audited({ ...working, account: next, invoice: inStatus(invoice, 'paid') }, 'payment.dispute_won', context);
}

/** The money went back: what it bought ends, and what it added to is shorter. */
export function refunded(working: Working, context: BillingContext, ends: RefundEnds): Working {
  const { account, invoice } = working;
  if (invoice.status !== 'paid' && invoice.status !== 'disputed') return working;
  const cleared = { ...account, disputed: account.disputed.filter((id) => id !== invoice._id) };
  const change = ends === 'now' ? defunded(cleared, invoice._id, context) : unchanged(endedLater(cleared, invoice._id, context));
  const next = { account: change.account, invoice: inStatus(invoice, 'refunded'), outbox: [...working.outbox, ...change.outbox] };
  return told(next, 'invoice.refunded', context);
}

/** The paid time that an invoice bought, as far as it is not over; what is over stays as it was, though its end may not be dealt with yet. */
const boughtBy = ({ funding }: AccountRow, invoice: string, { now }: BillingContext): Funding | undefined =>
  funding.find((part) => part.invoice === invoice && part.end > now);

function endedLater(account: AccountRow, invoice: string, context: BillingContext): AccountRow {
  return boughtBy(account, invoice, context) ? { ...account, cancel_at_period_end: true, pending_plan: null } : account;
}

function defunded(account: AccountRow, invoice: string, context: BillingContext): Change {
  const gone = boughtBy(account, invoice, context);
  if (!gone) return unchanged(account);
  const length = gone.end - Math.max(gone.start, context.now);
  const kept = account.funding.filter((part) => part !== gone);
  const funding = kept.map((part) => (part.start >= gone.end ? { ...part, start: part.start - length, end: part.end - length } : part));
  const [running] = funding;
  const last = funding.at(-1);
  // The next month is counted from where the last one ends by then.
  const anchor = last && last.end !== kept.at(-1)?.end ? anchorOf(context.zone, last.end) : account.anchor;
  const next: AccountRow = running
    ? { ...account, funding, anchor, plan: running.plan, period: { start: running.start, end: running.end } }
    : freed(account);
  return planChanged(account, moved(account, 'refunded', next), context);
}

/** Nothing is paid any more. */
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

/** Credit that goes back to where it came from, as far as it is there. */
function takenBack(working: Working, payment: InvoicePayment, context: BillingContext): Working {
  const { currency } = working.invoice;
  const taken = Math.min(payment.amount, working.account.credit[currency]);
  return audited({ ...working, account: withCredit(working.account, currency, -taken) }, 'payment.refund', context);
}

function told(working: Working, type: 'invoice.refunded' | 'invoice.disputed', context: BillingContext): Working {
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
