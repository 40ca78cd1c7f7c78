import type { AccountRow, BillingOutboxItem } from '../../../store/billing/accounts.ts';
import type { InvoiceRow } from '../../../store/billing/invoices.ts';
import { planOf } from '../plans.ts';
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
import { opened, quoted, rank, withoutHold } from './checkout.ts';
import { isPayable } from './money.ts';
import { meterDueAt } from './periods.ts';
import { freed } from './refund.ts';
import { freeText, graceText, reminderText } from './texts.ts';

/**
 * Steps of an account that depend on time: expired invoices, ended periods, grace and reminders.
 * Pure. Each call performs one due step, and returns the account and outbox to be stored together.
 */

const DAY_MS = 86_400_000;
const GRACE_MS = 3 * DAY_MS;
const REMINDER_DAYS = [7, 3, 1] as const;
const MESSAGE_MS = DAY_MS;

export function advanced(account: AccountRow, invoices: ReadonlyMap<string, InvoiceRow>, context: BillingContext): Change {
  const { now } = context;
  const lapsed = [account.open, ...account.owing].find((open) => open !== null && open.expires_at <= now);
  const invoice = lapsed ? invoices.get(lapsed.invoice) : undefined;
  if (invoice) return expired(account, invoice);
  const [running] = account.funding;
  if (running && running.end <= now) return periodEnded(account, context);
  if (account.grace_until !== null && account.grace_until <= now) return graceEnded(account, context);
  const days = reminderDue(account, now);
  return days === null ? unchanged(account) : reminded(account, days, invoices, context);
}

export function dueAt(account: AccountRow, zone: string): number | null {
  const times = [
    account.outbox.length > 0 ? (account.retry_at ?? 0) : null,
    ...account.polls.map(({ at }) => at),
    account.open?.expires_at ?? null,
    ...account.owing.map(({ expires_at }) => expires_at),
    account.funding[0]?.end ?? null,
    account.grace_until,
    nextReminderAt(account),
    account.metered && meterDueAt(zone, account.metered),
  ].filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** An expired overage invoice is still owed, unless its amount is too small to be charged. */
function expired(account: AccountRow, invoice: InvoiceRow): Change {
  const closed: AccountRow = {
    ...account,
    open: account.open?.invoice === invoice._id ? null : account.open,
    owing: account.owing.filter((one) => one.invoice !== invoice._id),
  };
  if (invoice.status !== 'open') return { account: closed, outbox: [] };
  const isOwed = invoice.kind === 'overage' && isPayable(invoice.amount, invoice.currency);
  const overdue = isOwed ? [...closed.overdue, invoice._id] : closed.overdue;
  const next = withCredit({ ...closed, overdue }, invoice.currency, invoice.held);
  return { account: next, outbox: [written(account, inStatus(invoice, 'expired'))] };
}

function periodEnded(account: AccountRow, context: BillingContext): Change {
  const [over, ...funding] = account.funding;
  const [running] = funding;
  if (running) {
    const next = { ...account, funding, plan: running.plan, period: { start: running.start, end: running.end }, reminded: null };
    return planChanged(account, moved(account, 'periodEnded', next), context);
  }
  if (account.cancel_at_period_end || account.pending_plan === 'free') return toFree(account, 'periodEnded', context);
  const { plan, pending_plan } = inGrace(account, context);
  const grace_until = (over?.end ?? context.now) + GRACE_MS;
  const next: AccountRow = { ...account, funding: [], plan, pending_plan, grace_until };
  const change = planChanged(account, moved(account, 'periodEnded', next), context);
  const text = graceText(plan, grace_until, context);
  return {
    account: change.account,
    outbox: [...change.outbox, messageOf(account, `grace:${over?.end}`, text, account.open?.invoice ?? null, context)],
  };
}

/** A cheaper scheduled plan takes effect in the grace period; a more expensive one must be paid first. */
function inGrace({ plan, pending_plan, currency }: AccountRow, { plans }: BillingContext): Pick<AccountRow, 'plan' | 'pending_plan'> {
  const isDearer = pending_plan !== null && rank(planOf(plans, pending_plan), currency) > rank(planOf(plans, plan), currency);
  return isDearer ? { plan, pending_plan } : { plan: pending_plan ?? plan, pending_plan: null };
}

const graceEnded = (account: AccountRow, context: BillingContext): Change => toFree(account, 'graceEnded', context);

function toFree(account: AccountRow, why: 'periodEnded' | 'graceEnded', context: BillingContext): Change {
  const change = planChanged(account, moved(account, why, freed(account)), context);
  const key = `free:${account.rev}`;
  return { account: change.account, outbox: [...change.outbox, messageOf(account, key, freeText(account.plan), null, context)] };
}

const isReminded = (account: AccountRow): boolean =>
  account.funding.length > 0 && !account.cancel_at_period_end && account.pending_plan !== 'free' && stateOf(account) === 'active';

function reminderDue(account: AccountRow, now: number): number | null {
  const end = periodEndOf(account);
  if (end === null || !isReminded(account)) return null;
  const due = REMINDER_DAYS.filter((days) => now >= end - days * DAY_MS && days < (account.reminded ?? Number.POSITIVE_INFINITY));
  return due.at(-1) ?? null;
}

function nextReminderAt(account: AccountRow): number | null {
  const end = periodEndOf(account);
  if (end === null || !isReminded(account)) return null;
  const next = REMINDER_DAYS.find((days) => days < (account.reminded ?? Number.POSITIVE_INFINITY));
  return next === undefined ? null : end - next * DAY_MS;
}

function reminded(account: AccountRow, days: number, invoices: ReadonlyMap<string, InvoiceRow>, context: BillingContext): Change {
  const end = periodEndOf(account) ?? context.now;
  const next = { ...account, reminded: days };
  const name = account.pending_plan ?? account.plan;
  const plan = planOf(context.plans, name);
  const open = account.open ? (invoices.get(account.open.invoice) ?? null) : null;
  if (!account.provider || !plan.prices[account.currency] || (open && open.plan !== name))
    return {
      account: next,
      outbox: [messageOf(account, `reminder:${end}:${days}`, reminderText(name, days, end, context), null, context)],
    };
  if (open)
    return {
      account: next,
      outbox: [messageOf(account, `reminder:${end}:${days}`, reminderText(name, days, end, context), open._id, context)],
    };
  const order = { plan, provider: account.provider, currency: account.currency, isRenewal: true, expiresAt: end + GRACE_MS } as const;
  const invoice = quoted(withoutHold(next, null), order, context);
  const change = opened(next, invoice, null, context);
  if (invoice.amount === 0) return change;
  const message = messageOf(account, `reminder:${end}:${days}`, reminderText(name, days, end, context), invoice._id, context);
  return { account: change.account, outbox: [...change.outbox, message] };
}

export function messageOf(
  account: AccountRow,
  key: string,
  text: Extract<BillingOutboxItem, { kind: 'message' }>['text'],
  invoice: string | null,
  { now }: BillingContext,
): BillingOutboxItem {
  return { kind: 'message', key: `${account._id}:${key}`, text, invoice, until: now + MESSAGE_MS };
}
