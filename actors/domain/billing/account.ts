import type { AccountRow, BillingOutboxItem, Metered } from '../../../store/billing/accounts.ts';
import type { BillingCurrency, InvoiceRow, InvoiceStatus, ProviderId } from '../../../store/billing/invoices.ts';
import type { Plan, Plans } from '../plans.ts';
import { planOf } from '../plans.ts';
import { type Anchor, anchorOf, monthBounds, monthIn } from './periods.ts';

/**
 * A tenant's account. Payment leads to `active` from every state.
 *
 *              pays                        the period ends, unpaid
 *     free ─────────────▶ active ────────────────────────────────▶ grace
 *      ▲                  │ │  ▲ pays: the same plan is extended,    │ │
 *      │                  │ └──┘ a pricier one begins immediately    │ │
 *      │                  │    ◀─────────────── pays ────────────────┘ │
 *      │◀─────────────────┘ ends cancelled · is refunded               │
 *      └◀──────────────────────────────────────────────────────────────┘ three days are over
 *
 * An operator may give any plan at any time: `active` without an end, or `free`.
 */
export const ACCOUNT_TRANSITIONS: Readonly<Record<AccountState, Readonly<Partial<Record<AccountEvent, readonly AccountState[]>>>>> = {
  free: { paid: ['active'], given: ['active', 'free'] },
  active: { paid: ['active'], periodEnded: ['active', 'grace', 'free'], refunded: ['active', 'free'], given: ['active', 'free'] },
  grace: { paid: ['active'], graceEnded: ['free'], refunded: ['grace', 'free'], given: ['active', 'free'] },
};

export type AccountState = 'free' | 'active' | 'grace';
export type AccountEvent = 'paid' | 'periodEnded' | 'graceEnded' | 'refunded' | 'given';

/**
 * An invoice. Only payment makes it `paid`; it never becomes `open` again.
 *
 *     open ──▶ paid ──▶ refunded
 *      │ │      ▲ │ ▲        ▲
 *      │ │      │ ▼ │        │
 *      │ │      │ disputed ──┘
 *      │ └▶ expired (paid late, if the plan is unchanged)
 *      └▶ void (replaced by another checkout)
 */
export const INVOICE_TRANSITIONS: Readonly<Record<InvoiceStatus, readonly InvoiceStatus[]>> = {
  open: ['paid', 'expired', 'void'],
  expired: ['paid'],
  void: [],
  paid: ['disputed', 'refunded'],
  disputed: ['paid', 'refunded'],
  refunded: [],
};

export interface BillingContext {
  readonly now: number;
  readonly zone: string;
  readonly locale: 'en' | 'id';
  readonly currency: BillingCurrency;
  readonly plans: Plans;
  readonly taxRate: number;
  readonly newId: () => string;
  readonly providerFor: (currency: BillingCurrency) => ProviderId | null;
}

export interface Change {
  readonly account: AccountRow;
  readonly outbox: readonly BillingOutboxItem[];
}

export const unchanged = (account: AccountRow): Change => ({ account, outbox: [] });

export function newAccount(tenantId: string, plan: string, currency: BillingCurrency): AccountRow {
  return {
    _id: tenantId,
    rev: 0,
    plan,
    funding: [],
    period: null,
    anchor: 1,
    grace_until: null,
    cancel_at_period_end: false,
    pending_plan: null,
    credit: { IDR: 0, USD: 0 },
    currency,
    provider: null,
    open: null,
    owing: [],
    overdue: [],
    disputed: [],
    basis: 0,
    reminded: null,
    warned: null,
    metered: null,
    polls: [],
    outbox: [],
    retry_at: null,
    due_at: null,
    has_credit: false,
  };
}

export function stateOf({ plan, grace_until }: AccountRow): AccountState {
  if (grace_until !== null) return 'grace';
  return plan === 'free' ? 'free' : 'active';
}

/** `past_due` while an overage invoice is overdue or a payment is disputed. */
export function statusOf(account: AccountRow): 'free' | 'active' | 'past_due' | 'grace' {
  const state = stateOf(account);
  return state !== 'grace' && account.overdue.length + account.disputed.length > 0 ? 'past_due' : state;
}

export function moved(before: AccountRow, event: AccountEvent, after: AccountRow): AccountRow {
  const [from, to] = [stateOf(before), stateOf(after)];
  if (!ACCOUNT_TRANSITIONS[from][event]?.includes(to)) throw new Error(`an account does not go from ${from} to ${to} when ${event}`);
  return after;
}

export function inStatus(invoice: InvoiceRow, status: InvoiceStatus): InvoiceRow {
  if (!INVOICE_TRANSITIONS[invoice.status].includes(status)) throw new Error(`an invoice does not go from ${invoice.status} to ${status}`);
  return { ...invoice, status };
}

export const withCredit = (account: AccountRow, currency: BillingCurrency, by: number): AccountRow => ({
  ...account,
  credit: { ...account.credit, [currency]: account.credit[currency] + by },
});

export function planChanged(before: AccountRow, account: AccountRow, { now, zone, plans, newId }: BillingContext): Change {
  const based = { ...account, basis: account.basis + 1, metered: meteredWith(account, plans, zone, now) };
  if (before.plan === account.plan) return unchanged(based);
  const rev = before.rev + 1;
  return {
    account: based,
    outbox: [
      { kind: 'plan', plan: account.plan, rev },
      {
        kind: 'event',
        type: 'plan.changed',
        row: `${account._id}:${rev}`,
        at: now,
        data: { plan: account.plan, previous: before.plan, period_end: periodEndOf(account) },
      },
      {
        kind: 'audit',
        key: newId(),
        action: 'plan.change',
        at: now,
        target: account._id,
        changes: [{ field: 'plan', from: before.plan, to: account.plan }],
      },
    ],
  };
}

export const periodEndOf = ({ funding, period }: AccountRow): number | null => funding.at(-1)?.end ?? period?.end ?? null;

export function anchored({ anchor, anchor_zone }: AccountRow, isAfter: boolean, { zone, now }: BillingContext): Anchor {
  return isAfter ? { anchor, anchor_zone: anchor_zone ?? zone } : { anchor: anchorOf(zone, now), anchor_zone: zone };
}

/** If an account had several plans in a month, the largest one with overage sets the overage price. */
function meteredWith(account: AccountRow, plans: Plans, zone: string, now: number): AccountRow['metered'] {
  const plan = planOf(plans, account.plan);
  if (plan.overage === null) return account.metered;
  if (account.metered === null) return meterOf(monthIn(zone, now), plan.name, zone);
  return largest(planOf(plans, account.metered.plan), plan).name === plan.name ? { ...account.metered, plan: plan.name } : account.metered;
}

export const meterOf = (month: string, plan: string, zone: string): Metered => ({
  month,
  plan,
  until: monthBounds(zone, month).start,
  sent: 0,
});

/** Resets meters that were stored by versions without daily counts. */
export function metered(account: AccountRow, zone: string): AccountRow {
  const { metered: month } = account;
  return month && month.until === undefined ? { ...account, metered: meterOf(month.month, month.plan, zone) } : account;
}

const largest = (one: Plan, other: Plan): Plan => (other.messages > one.messages ? other : one);

export const written = (account: AccountRow, row: InvoiceRow): BillingOutboxItem => ({
  kind: 'invoice',
  row: { ...row, rev: account.rev + 1 },
});
