import type { AccountRow } from '../../../store/billing/accounts.ts';
import type { BillingCurrency, InvoiceLine, InvoiceRow, ProviderId } from '../../../store/billing/invoices.ts';
import { type Plan, planOf } from '../plans.ts';
import { anchored, type BillingContext, type Change, inStatus, periodEndOf, stateOf, unchanged, withCredit, written } from './account.ts';
import { otherThan, rounded, usable } from './money.ts';
import { periodEnd } from './periods.ts';
import { firstPoll } from './polls.ts';
import { paidFromCredit } from './settle.ts';
import { unusedOf } from './unused-days.ts';

/**
 * Creates invoices for plans, and schedules changes for the end of a period. An account has at most
 * one open plan invoice. The credit that an invoice uses is held, and is returned if the invoice is
 * voided. Pure.
 */

const DAY_MS = 86_400_000;
const OPEN_MS = DAY_MS;
const TAX_UNITS = 10_000;

export interface Order {
  readonly plan: Plan;
  readonly provider: ProviderId;
  readonly currency: BillingCurrency;
  readonly isRenewal?: true;
  readonly expiresAt?: number;
}

export function isForLater(account: AccountRow, plan: Plan, currency: BillingCurrency, { plans }: BillingContext): boolean {
  if (account.funding.length === 0 || plan.name === account.plan) return false;
  return rank(plan, currency) < rank(planOf(plans, account.plan), currency);
}

/** Ranks a plan by its price or, if it is not sold in this currency, by its number of messages. */
export const rank = ({ prices, messages }: Plan, currency: BillingCurrency): number => prices[currency] ?? messages;

export function scheduled(account: AccountRow, plan: string, open: InvoiceRow | null): Change {
  const next = { ...account, pending_plan: plan, cancel_at_period_end: plan === 'free' };
  if (next.pending_plan === account.pending_plan && account.open === null) return unchanged(account);
  return open ? voided(next, open) : { account: next, outbox: [] };
}

export function cancelled(account: AccountRow, open: InvoiceRow | null): Change | null {
  if (stateOf(account) === 'free') return null;
  if (account.cancel_at_period_end) return unchanged(account);
  const next = { ...account, cancel_at_period_end: true, pending_plan: null };
  return open ? voided(next, open) : { account: next, outbox: [] };
}

export function resumed(account: AccountRow, open: InvoiceRow | null): Change | null {
  if (!account.cancel_at_period_end && account.pending_plan === null) return null;
  const next = { ...account, cancel_at_period_end: false, pending_plan: null };
  return open && open.plan === account.pending_plan ? voided(next, open) : { account: next, outbox: [] };
}

export function quoted(account: AccountRow, order: Order, context: BillingContext): InvoiceRow {
  const { plan, currency } = order;
  const { now } = context;
  const value = plan.prices[currency] ?? 0;
  const starts = startOf(account, order, context);
  const isChange = account.funding.length > 0 && !order.isRenewal && plan.name !== account.plan;
  const returnedIn = (one: BillingCurrency): number => (isChange ? unusedOf(account, one, now) : 0);
  const returned = returnedIn(currency);
  const unused = usable(returned, value, currency);
  const tax = rounded((value - unused) * context.taxRate, TAX_UNITS);
  const held = usable(account.credit[currency], value - unused + tax, currency);
  return {
    _id: context.newId(),
    tenant_id: account._id,
    number: null,
    kind: 'plan',
    status: 'open',
    plan: plan.name,
    provider: order.provider,
    currency,
    amount: value - unused + tax - held,
    lines: linesOf(context.locale, plan, { value, unused, tax, held }),
    month: null,
    value,
    held,
    unused,
    leftover: returned - unused,
    leftover_other: returnedIn(otherThan(currency)),
    basis: account.basis,
    attempts: [],
    payments: [],
    rejected: false,
    unverified: false,
    ...starts,
    created_at: now,
    expires_at: order.expiresAt ?? now + OPEN_MS,
    paid_at: null,
    rev: 0,
  };
}

export function opened(account: AccountRow, invoice: InvoiceRow, before: InvoiceRow | null, context: BillingContext): Change {
  const cleared = before ? voided(account, before) : unchanged(account);
  // Return the credit that the previous invoice held, so that the new one can hold it.
  const held = withCredit({ ...cleared.account, provider: invoice.provider, currency: invoice.currency }, invoice.currency, -invoice.held);
  const open: AccountRow = {
    ...held,
    open: { invoice: invoice._id, expires_at: invoice.expires_at },
    polls: [...held.polls, firstPoll(invoice)],
  };
  if (invoice.amount > 0) return { account: open, outbox: [...cleared.outbox, written(account, invoice)] };
  const paid = paidFromCredit(open, invoice, context);
  return { account: paid.account, outbox: [...cleared.outbox, ...paid.outbox] };
}

/** If the voided invoice is paid after all, the payment becomes credit. */
function voided(account: AccountRow, invoice: InvoiceRow): Change {
  if (invoice.status !== 'open') return unchanged(account);
  const freed = withCredit({ ...account, open: null }, invoice.currency, invoice.held);
  return { account: freed, outbox: [written(account, inStatus(invoice, 'void'))] };
}

export const withoutHold = (account: AccountRow, open: InvoiceRow | null): AccountRow =>
  open?.status === 'open' ? withCredit(account, open.currency, open.held) : account;

function startOf(account: AccountRow, { plan, isRenewal }: Order, context: BillingContext) {
  const end = periodEndOf(account);
  const isExtension = end !== null && stateOf(account) !== 'free' && (isRenewal || plan.name === account.plan);
  const period_start = isExtension ? end : context.now;
  return { period_start, period_end: periodEnd(period_start, anchored(account, isExtension, context)) };
}

interface Parts {
  readonly value: number;
  readonly unused: number;
  readonly tax: number;
  readonly held: number;
}

function linesOf(locale: BillingContext['locale'], { name }: Plan, { value, unused, tax, held }: Parts): InvoiceLine[] {
  const say = (en: string, id: string): string => (locale === 'id' ? id : en);
  const line = (kind: InvoiceLine['kind'], text: string, amount: number): InvoiceLine => ({ kind, text, quantity: 1, amount });
  return [
    line('plan', say(`${name}, 1 month`, `${name}, 1 bulan`), value),
    ...(unused > 0 ? [line('credit', say('Unused days of the previous plan', 'Sisa hari paket sebelumnya'), -unused)] : []),
    ...(tax > 0 ? [line('tax', say('Tax', 'Pajak'), tax)] : []),
    ...(held > 0 ? [line('credit', say('Credit', 'Saldo'), -held)] : []),
  ];
}
