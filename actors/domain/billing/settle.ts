import { at } from '../../../runtime/invariant.ts';
import type { AccountRow, BillingOutboxItem } from '../../../store/billing/accounts.ts';
import type { InvoicePayment, InvoiceRow } from '../../../store/billing/invoices.ts';
import {
  anchored,
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
import { otherThan } from './money.ts';
import type { PaymentFact, RefundEnds, Working } from './payment.ts';
import { periodEnd } from './periods.ts';
import { polled, pollSoon } from './polls.ts';
import { followed } from './refund.ts';
import { receiptText } from './texts.ts';
import { givesBack, leftoverOther, withReplaced } from './unused-days.ts';

/**
 * Applies payments to invoices. Each payment is recorded once. It settles the invoice, becomes
 * credit or is rejected. Pure: account and outbox are stored together.
 */

const DAY_MS = 86_400_000;

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

export function unverified(account: AccountRow, invoice: InvoiceRow, { now }: BillingContext): Change {
  const polls = pollSoon(account.polls, invoice, now);
  return { account: { ...account, polls }, outbox: invoice.unverified ? [] : [written(account, { ...invoice, unverified: true })] };
}

export function paidFromCredit(account: AccountRow, invoice: InvoiceRow, context: BillingContext): Change {
  const paid = settled({ account, invoice, outbox: [] }, context);
  const polls = paid.account.polls.filter((poll) => poll.invoice !== invoice._id);
  return { account: { ...paid.account, polls }, outbox: [written(account, paid.invoice), ...paid.outbox] };
}

function received(working: Working, fact: PaymentFact, context: BillingContext): Working {
  const { account, invoice } = working;
  if (invoice.payments.some(({ id }) => id === fact.id)) return working;
  const misfit = misfitOf(invoice, fact);
  if (misfit !== null) return noted(working, fact, 'rejected', misfit, context);
  if (!canSettle(account, invoice)) {
    const credited = { ...working, account: withCredit(account, invoice.currency, invoice.amount) };
    return noted(credited, fact, 'credit', invoice.paid_at === null ? 'late' : 'second payment', context);
  }
  return settled(noted(working, fact, 'settlement', null, context), context);
}

function misfitOf(invoice: InvoiceRow, { amount, currency, isOurs }: PaymentFact): string | null {
  if (!isOurs) return 'reference';
  if (currency !== invoice.currency) return 'currency';
  return amount === invoice.amount ? null : 'amount';
}

/** Whether the unused days and the credit on which the invoice relies are still available. */
function canSettle(account: AccountRow, invoice: InvoiceRow): boolean {
  if (invoice.status !== 'open' && invoice.status !== 'expired') return false;
  const hasCredit = invoice.status === 'open' || account.credit[invoice.currency] >= invoice.held;
  if (!hasCredit || invoice.kind === 'overage') return hasCredit;
  if (account.basis === invoice.basis) return true;
  return !givesBack(invoice) && (account.funding.length === 0 || account.plan === invoice.plan);
}

function noted(
  working: Working,
  fact: PaymentFact,
  became: InvoicePayment['became'],
  reason: string | null,
  { now, newId }: BillingContext,
): Working {
  const { invoice } = working;
  const { id, currency, evidence } = fact;
  const amount = fact.amount ?? 0;
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
          { field: 'amount', from: null, to: fact.amount ?? fact.unread ?? null },
          { field: 'currency', from: null, to: currency },
          { field: 'reason', from: null, to: reason },
        ],
      },
    ],
  };
}

function settled({ account, invoice, outbox }: Working, context: BillingContext): Working {
  const { now } = context;
  const takesAgain = invoice.status === 'expired' ? -invoice.held : 0;
  const paid = { ...inStatus(invoice, 'paid'), paid_at: now };
  const credited = withCredit(account, invoice.currency, takesAgain + invoice.leftover);
  const closed: AccountRow = {
    ...withCredit(credited, otherThan(invoice.currency), leftoverOther(invoice)),
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

function fundedBy(account: AccountRow, invoice: InvoiceRow, context: BillingContext) {
  const { now } = context;
  const end = periodEndOf(account);
  const isAfter = end !== null && stateOf(account) !== 'free' && (account.plan === invoice.plan || account.pending_plan === invoice.plan);
  // If the last period ended over a month ago, the new one starts now, so the gap is not charged.
  const start = isAfter && (account.funding.length > 0 || end + 31 * DAY_MS > now) ? end : now;
  const anchor = anchored(account, isAfter, context);
  const part = {
    invoice: invoice._id,
    plan: invoice.plan,
    start,
    end: periodEnd(start, anchor),
    value: invoice.value,
    currency: invoice.currency,
  };
  const funding = isAfter ? [...account.funding, part] : [part];
  const running = at(funding, 0);
  return {
    start,
    end: part.end,
    account: {
      ...(isAfter || !givesBack(invoice) ? account : withReplaced(account, invoice._id, invoice.created_at)),
      plan: running.plan,
      funding,
      period: { start: running.start, end: running.end },
      ...anchor,
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
