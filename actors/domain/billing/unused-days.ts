import type { AccountRow, Funding, ReplacedTime } from '../../../store/billing/accounts.ts';
import type { BillingCurrency, InvoiceRow } from '../../../store/billing/invoices.ts';
import { withCredit } from './account.ts';
import { rounded } from './money.ts';

/**
 * Computes the value of paid but unused days when a plan is replaced, even if their payment is
 * refunded later. Pure. The account contains the replaced times (`replaced`).
 */

const DAY_MS = 86_400_000;
const MAX_REPLACED = 20;

export function unusedOf({ funding }: Pick<AccountRow, 'funding'>, currency: BillingCurrency, now: number): number {
  return funding.filter((part) => part.currency === currency).reduce((sum, part) => sum + worthOf(part, now), 0);
}

function worthOf({ start, end, value }: Funding, now: number): number {
  const days = Math.max(1, Math.round((end - start) / DAY_MS));
  const left = Math.min(days, Math.max(0, Math.floor((end - now) / DAY_MS)));
  return rounded(value * left, days);
}

export const leftoverOther = ({ leftover_other = 0 }: InvoiceRow): number => leftover_other;

export const givesBack = (invoice: InvoiceRow): boolean => invoice.unused + invoice.leftover + leftoverOther(invoice) > 0;

/** `by`: the invoice that the unused days helped to pay for; null if they became credit. */
export function withReplaced(account: AccountRow, by: string | null, now: number): AccountRow {
  const times = account.funding.map((part) => ({ invoice: part.invoice, by, currency: part.currency, worth: worthOf(part, now) }));
  return { ...account, replaced: [...replacedIn(account), ...times.filter(({ worth }) => worth > 0)].slice(-MAX_REPLACED) };
}

/**
 * Deducts the value of refunded days from the credit. If the credit is too small, the last period
 * that these days helped to pay for owes the difference.
 */
export function withDaysTaken(account: AccountRow, invoice: InvoiceRow): AccountRow {
  const time = replacedIn(account).find((one) => one.invoice === invoice._id);
  if (!time) return account;
  const credited = withPaidBesides(account, invoice);
  const due = time.worth + owedOf(time);
  const taken = Math.min(due, credited.credit[time.currency]);
  const last = lastPaidBy(replacedIn(credited), time);
  const replaced = replacedIn(credited)
    .map((one) => (one.invoice === time.invoice ? { ...one, owed: 0 } : one))
    .map((one) => (one.invoice === last.invoice ? { ...one, owed: owedOf(one) + due - taken } : one));
  return { ...withCredit(credited, time.currency, -taken), replaced };
}

export function withPaidBesides(account: AccountRow, { _id, currency, held, unused }: InvoiceRow): AccountRow {
  const isAmongIt = (time: ReplacedTime): boolean => time.by === _id && time.currency === currency;
  const owed = replacedIn(account).reduce((sum, time) => sum + (isAmongIt(time) ? owedOf(time) : 0), 0);
  const replaced = replacedIn(account).map((time) => (isAmongIt(time) ? { ...time, owed: 0 } : time));
  return withCredit({ ...account, replaced }, currency, held + Math.max(0, unused - owed));
}

function lastPaidBy(times: readonly ReplacedTime[], time: ReplacedTime): ReplacedTime {
  const next = times.find(({ invoice, currency }) => invoice === time.by && currency === time.currency);
  return next ? lastPaidBy(times, next) : time;
}

const replacedIn = ({ replaced = [] }: AccountRow): readonly ReplacedTime[] => replaced;

const owedOf = ({ owed = 0 }: ReplacedTime): number => owed;
