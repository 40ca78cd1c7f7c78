import type { AccountRow, Funding, ReplacedTime } from '../../../store/billing/accounts.ts';
import type { BillingCurrency, InvoiceRow } from '../../../store/billing/invoices.ts';
import { withCredit } from './account.ts';
import { rounded } from './money.ts';

const DAY_MS = 86_400_000;
/** So many are remembered; the oldest fall out. */
const MAX_REPLACED = 20;

/** What the days are worth that were paid for and are not used: whole days, in parts of what was paid for them. */
export function unusedOf({ funding }: Pick<AccountRow, 'funding'>, currency: BillingCurrency, now: number): number {
  return funding.filter((part) => part.currency === currency).reduce((sum, part) => sum + worthOf(part, now), 0);
}

function worthOf({ start, end, value }: Funding, now: number): number {
  const days = Math.max(1, Math.round((end - start) / DAY_MS));
  const left = Math.min(days, Math.max(0, Math.floor((end - now) / DAY_MS)));
  return rounded(value * left, days);
}

/** What an invoice gives back of days in the other currency; one that an earlier version stored gives nothing. */
export const leftoverOther = ({ leftover_other = 0 }: InvoiceRow): number => leftover_other;

export const givesBack = (invoice: InvoiceRow): boolean => invoice.unused + invoice.leftover + leftoverOther(invoice) > 0;

/** The account remembers what the invoice gives back of which paid time. */
export function withReplaced(account: AccountRow, invoice: InvoiceRow): AccountRow {
  if (!givesBack(invoice)) return account;
  const times = account.funding.map((part) => ({
    invoice: part.invoice,
    by: invoice._id,
    currency: part.currency,
    worth: worthOf(part, invoice.created_at),
  }));
  return { ...account, replaced: [...replacedIn(account), ...times.filter(({ worth }) => worth > 0)].slice(-MAX_REPLACED) };
}

/** The invoice's payment went back: what another one gave back of its days is taken from the credit, as far as it is there. */
export function withDaysTaken(account: AccountRow, invoice: InvoiceRow): AccountRow {
  const time = replacedIn(account).find((one) => one.invoice === invoice._id && one.owed === undefined);
  if (!time) return account;
  const taken = Math.min(time.worth, account.credit[time.currency]);
  const replaced = replacedIn(account).map((one) => (one === time ? { ...time, owed: time.worth - taken } : one));
  return { ...withCredit(account, time.currency, -taken), replaced };
}

/** What paid for the invoice besides money, but for days whose own payment went back. */
export function paidBesides(account: AccountRow, { _id, currency, held, unused }: InvoiceRow): number {
  const owed = replacedIn(account).reduce((sum, time) => sum + (time.by === _id && time.currency === currency ? (time.owed ?? 0) : 0), 0);
  return held + Math.max(0, unused - owed);
}

const replacedIn = ({ replaced = [] }: AccountRow): readonly ReplacedTime[] => replaced;
