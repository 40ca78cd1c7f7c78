import type { AccountRow, BillingOutboxItem, Metered } from '../../../store/billing/accounts.ts';
import type { BillingCurrency, InvoiceRow, InvoiceStatus, ProviderId } from '../../../store/billing/invoices.ts';
import type { Plan, Plans } from '../plans.ts';
import { planOf } from '../plans.ts';
import { type Anchor, anchorOf, monthBounds, monthIn } from './periods.ts';

/**
 * A tenant's account. Paying leads to `active` from everywhere.
 *
 *              pays                        the period ends, unpaid
 *     free ─────────────▶ active ────────────────────────────────▶ grace
 *      ▲                  │ │  ▲ pays: the same plan is extended,    │ │
 *      │                  │ └──┘ a dearer one begins at once         │ │
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
 * An invoice. Only payment makes it `paid`; nothing makes it `open` again.
 *
 *     open ──▶ paid ──▶ refunded
 *      │ │      ▲ │ ▲        ▲
 *      │ │      │ ▼ │        │
 *      │ │      │ disputed ──┘
 *      │ └▶ expired (paid late, where the plan is what it was)
 *      └▶ void (another checkout took its place)
 */
export const INVOICE_TRANSITIONS: Readonly<Record<InvoiceStatus, readonly InvoiceStatus[]>> = {
  open: ['paid', 'expired', 'void'],
  expired: ['paid'],
  void: [],
  paid: ['disputed', 'refunded'],
  disputed: ['paid', 'refunded'],
  refunded: [],
};

/** What a decision about an account needs to know besides the account. */
export interface BillingContext {
  /** Epoch ms. */
  readonly now: number;
  /** IANA: the tenant's. */
  readonly zone: string;
  readonly locale: 'en' | 'id';
  /** The tenant's, of its profile. */
  readonly currency: BillingCurrency;
  readonly plans: Plans;
  /** Hundredths of a per cent on top of each price; 0: none. */
  readonly taxRate: number;
  /** A fresh ULID. */
  readonly newId: () => string;
  /** A provider that takes a currency, for those who never chose one; null: none is configured. */
  readonly providerFor: (currency: BillingCurrency) => ProviderId | null;
}

/** A decision: the account as it is from now on, and what follows from it. The same account: nothing changes. */
export interface Change {
  readonly account: AccountRow;
  readonly outbox: readonly BillingOutboxItem[];
}

export const unchanged = (account: AccountRow): Change => ({ account, outbox: [] });

/** An account that never paid. `plan`: what the tenant has, perhaps given by an operator. */
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

/** What the tenant is shown: `past_due` while an overage invoice was not paid in time, or a payment is disputed. */
export function statusOf(account: AccountRow): 'free' | 'active' | 'past_due' | 'grace' {
  const state = stateOf(account);
  return state !== 'grace' && account.overdue.length + account.disputed.length > 0 ? 'past_due' : state;
}

/** The account after `event`. A move that the table does not have is a bug, and throws. */
export function moved(before: AccountRow, event: AccountEvent, after: AccountRow): AccountRow {
  const [from, to] = [stateOf(before), stateOf(after)];
  if (!ACCOUNT_TRANSITIONS[from][event]?.includes(to)) throw new Error(`an account does not go from ${from} to ${to} when ${event}`);
  return after;
}

/** The invoice in another status. A move that the table does not have is a bug, and throws. */
export function inStatus(invoice: InvoiceRow, status: InvoiceStatus): InvoiceRow {
  if (!INVOICE_TRANSITIONS[invoice.status].includes(status)) throw new Error(`an invoice does not go from ${invoice.status} to ${status}`);
  return { ...invoice, status };
}

export const withCredit = (account: AccountRow, currency: BillingCurrency, by: number): AccountRow => ({
  ...account,
  credit: { ...account.credit, [currency]: account.credit[currency] + by },
});

/** What follows from another plan: `then` is written together with it. */
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

/** When the time that is paid for ends; null: no paid time. */
export const periodEndOf = ({ funding, period }: AccountRow): number | null => funding.at(-1)?.end ?? period?.end ?? null;

/** From which day the account's months are counted: `isAfter`: from the one before, else from now. */
export function anchored({ anchor, anchor_zone }: AccountRow, isAfter: boolean, { zone, now }: BillingContext): Anchor {
  return isAfter ? { anchor, anchor_zone: anchor_zone ?? zone } : { anchor: anchorOf(zone, now), anchor_zone: zone };
}

/** Overage of a month is priced by the largest plan with overage that it saw. */
function meteredWith(account: AccountRow, plans: Plans, zone: string, now: number): AccountRow['metered'] {
  const plan = planOf(plans, account.plan);
  if (plan.overage === null) return account.metered;
  if (account.metered === null) return meterOf(monthIn(zone, now), plan.name, zone);
  return largest(planOf(plans, account.metered.plan), plan).name === plan.name ? { ...account.metered, plan: plan.name } : account.metered;
}

/** A month of which nothing is counted. */
export const meterOf = (month: string, plan: string, zone: string): Metered => ({
  month,
  plan,
  until: monthBounds(zone, month).start,
  sent: 0,
});

/** The account as it is stored; of a month that was stored before its days were counted, nothing is counted. */
export function metered(account: AccountRow, zone: string): AccountRow {
  const { metered: month } = account;
  return month && month.until === undefined ? { ...account, metered: meterOf(month.month, month.plan, zone) } : account;
}

const largest = (one: Plan, other: Plan): Plan => (other.messages > one.messages ? other : one);

/** The invoice as it is written with the next revision of its account. */
export const written = (account: AccountRow, row: InvoiceRow): BillingOutboxItem => ({
  kind: 'invoice',
  row: { ...row, rev: account.rev + 1 },
});
