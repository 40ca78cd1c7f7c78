import type { AccountRow, Metered } from '../../../store/billing/accounts.ts';
import type { InvoiceRow } from '../../../store/billing/invoices.ts';
import { planOf } from '../plans.ts';
import { type BillingContext, type Change, meterOf, unchanged, withCredit, written } from './account.ts';
import { messageOf } from './advance.ts';
import { overagePrice, rounded, usable } from './money.ts';
import { monthBounds, monthIn } from './periods.ts';
import { firstPoll } from './polls.ts';
import { paidFromCredit } from './settle.ts';
import { overageText, quotaText } from './texts.ts';

/**
 * Quota warnings, and the metering and billing of messages beyond the quota. Pure. The account
 * contains the meter of the current month (`metered`).
 */

const DAY_MS = 86_400_000;
const OWED_MS = 30 * DAY_MS;
const TAX_UNITS = 10_000;
const LEVELS = [100, 80] as const;

export const levelOf = (used: number, limit: number): number => LEVELS.find((level) => used * 100 >= limit * level) ?? 0;

/** Warnings start again when the plan changes, because the quota changes, too. */
export function quotaSeen(account: AccountRow, month: string, used: number, limit: number, context: BillingContext): Change {
  const level = limit > 0 ? levelOf(used, limit) : 0;
  const known = account.warned?.month === month && account.warned.limit === limit ? account.warned.level : 0;
  if (level <= known || (account.warned !== null && account.warned.month > month)) return { account, outbox: [] };
  return {
    account: { ...account, warned: { month, level, limit } },
    outbox: [
      {
        kind: 'event',
        type: 'quota.warning',
        row: `${account._id}:${month}:${limit}:${level}`,
        at: context.now,
        data: { level, used, limit, month, plan: account.plan },
      },
      messageOf(account, `quota:${month}:${limit}:${level}`, quotaText(level, used, limit), null, context),
    ],
  };
}

export function daySent(account: AccountRow, counted: Metered, end: number, sent: number, context: BillingContext): Change {
  const { metered } = account;
  if (metered?.month !== counted.month || metered.until !== counted.until) return unchanged(account);
  const until = { ...metered, until: end, sent: metered.sent + sent };
  return end < monthBounds(context.zone, metered.month).end
    ? { account: { ...account, metered: until }, outbox: [] }
    : monthClosed(account, until, context);
}

function monthClosed(account: AccountRow, metered: Metered, context: BillingContext): Change {
  const next: AccountRow = { ...account, metered: meteredAfter(account, metered, context) };
  const invoice = overageInvoice(next, metered.month, metered.plan, metered.sent, context);
  if (!invoice) return { account: next, outbox: [] };
  const held = withCredit(next, invoice.currency, -invoice.held);
  if (invoice.amount === 0) return paidFromCredit(held, { ...invoice, rev: account.rev }, context);
  const owing = [...held.owing, { invoice: invoice._id, expires_at: invoice.expires_at }];
  const message = messageOf(account, `overage:${metered.month}`, overageText(invoice), invoice._id, context);
  return { account: { ...held, owing, polls: [...held.polls, firstPoll(invoice)] }, outbox: [written(account, invoice), message] };
}

function meteredAfter({ plan }: AccountRow, { month, until }: Metered, { plans, zone }: BillingContext): Metered | null {
  if (planOf(plans, plan).overage === null) return null;
  return { ...meterOf(monthIn(zone, monthBounds(zone, month).end), plan, zone), until };
}

function overageInvoice(account: AccountRow, month: string, planName: string, sent: number, context: BillingContext): InvoiceRow | null {
  const { now, plans, locale, taxRate } = context;
  const { currency } = account;
  const provider = account.provider ?? context.providerFor(currency);
  const plan = planOf(plans, planName);
  const beyond = Math.max(0, sent - plan.messages);
  const price = plan.overage?.[currency] ?? 0;
  const value = overagePrice(beyond, price);
  if (value === 0 || provider === null) return null;
  const tax = rounded(value * taxRate, TAX_UNITS);
  const held = usable(account.credit[currency], value + tax, currency);
  const say = (en: string, id: string): string => (locale === 'id' ? id : en);
  return {
    _id: context.newId(),
    tenant_id: account._id,
    number: null,
    kind: 'overage',
    status: 'open',
    plan: planName,
    provider,
    currency,
    amount: value + tax - held,
    lines: [
      {
        kind: 'overage',
        text: say(`Messages beyond the quota, ${month}`, `Pesan di atas kuota, ${month}`),
        quantity: beyond,
        amount: value,
      },
      ...(tax > 0 ? [{ kind: 'tax', text: say('Tax', 'Pajak'), quantity: 1, amount: tax } as const] : []),
      ...(held > 0 ? [{ kind: 'credit', text: say('Credit', 'Saldo'), quantity: 1, amount: -held } as const] : []),
    ],
    month,
    value,
    held,
    unused: 0,
    leftover: 0,
    basis: account.basis,
    attempts: [],
    payments: [],
    rejected: false,
    unverified: false,
    period_start: monthBounds(context.zone, month).start,
    period_end: monthBounds(context.zone, month).end,
    created_at: now,
    expires_at: now + OWED_MS,
    paid_at: null,
    rev: 0,
  };
}
