import type { Plans } from '../../../actors/domain/plans.ts';
import type { AccountRow } from '../../../store/billing/accounts.ts';
import type { BillingCurrency, InvoiceRow } from '../../../store/billing/invoices.ts';
import type { Banked } from './till.ts';

/** One tenant's life as seen from outside, and the gateway's data about it. Times are epoch ms. */
export interface Life {
  readonly id: string;
  readonly account: AccountRow;
  readonly invoices: readonly InvoiceRow[];
  readonly banked: readonly Banked[];
  /** Refund time of each invoice. */
  readonly refunds: ReadonlyMap<string, number>;
  /** Plans that took effect, in order. */
  readonly applied: readonly { readonly plan: string; readonly at: number }[];
}

const DAY = 86_400_000;
const GRACE = 3 * DAY;
/** Maximum time until a dead process is replaced, in ms. */
const BLUR = 60_000;
/** Offset of Jakarta's time zone. */
const ZONE_MS = 7 * 3_600_000;
/** Plans, cheapest first. */
const RANKS = ['free', 'starter', 'pro', 'business'];
const CURRENCIES: readonly BillingCurrency[] = ['IDR', 'USD'];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const isSettled = ({ paid_at }: InvoiceRow): boolean => paid_at !== null;

/** Position of an invoice in the number sequence of paid invoices. */
const placeOf = ({ number }: InvoiceRow): number => Number(number?.split('-').at(-1));

interface PaidTime {
  readonly invoice: string;
  readonly plan: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the paid periods that were not refunded by `now`. An invoice that starts when it is paid replaces all
 * earlier ones.
 */
function paidTime({ invoices, refunds }: Life, now: number): readonly PaidTime[] {
  const paid = invoices.filter(({ kind, paid_at }) => kind === 'plan' && paid_at !== null && paid_at <= now);
  const events = [
    ...paid.map((invoice) => ({ at: invoice.paid_at ?? 0, invoice, isRefund: false })),
    ...paid.flatMap((invoice) => ({ at: refunds.get(invoice._id) ?? Number.POSITIVE_INFINITY, invoice, isRefund: true })),
  ].filter(({ at }) => at <= now);
  let parts: PaidTime[] = [];
  for (const { at, invoice, isRefund } of events.toSorted(
    (one, other) => one.at - other.at || placeOf(one.invoice) - placeOf(other.invoice),
  )) {
    const { _id, plan, period_start: start, period_end: end } = invoice;
    if (isRefund) parts = without(parts, _id, at);
    else if (start !== null && end !== null) parts = [...(start === at ? [] : parts), { invoice: _id, plan, start, end }];
  }
  return parts;
}

function without(parts: readonly PaidTime[], invoice: string, at: number): PaidTime[] {
  const gone = parts.find((part) => part.invoice === invoice && part.end > at);
  if (!gone) return [...parts];
  const length = gone.end - Math.max(gone.start, at);
  return parts
    .filter((part) => part !== gone)
    .map((part) => (part.start >= gone.end ? { ...part, start: part.start - length, end: part.end - length } : part));
}

/** Returns the plans that a tenant may have at a moment. */
function entitled(life: Life, now: number): readonly string[] {
  const parts = paidTime(life, now);
  const running = parts.find(({ start, end }) => start <= now && now < end);
  if (running) return [running.plan];
  const last = parts.toSorted((one, other) => one.end - other.end).at(-1);
  // During the grace days, a cheaper plan that was chosen for later may already apply.
  return last && now < last.end + GRACE ? RANKS.slice(0, RANKS.indexOf(last.plan) + 1) : ['free'];
}

/** Checks that the tenant has exactly the plan that was paid for. */
export function faultsOfPlan(life: Life, now: number): readonly string[] {
  const { account, applied, id } = life;
  // A refund is noticed a little later, possibly after the end of the period that it paid for.
  const received = { ...life, refunds: new Map([...life.refunds].map(([invoice, at]) => [invoice, at + BLUR])) };
  const allowed = [life, received].flatMap((one) => [...entitled(one, now - BLUR), ...entitled(one, now + BLUR)]);
  const faults = [];
  if (!allowed.includes(account.plan)) faults.push(`${id}: has ${account.plan}, paid for ${allowed[0]}`);
  if ((applied.at(-1)?.plan ?? 'free') !== account.plan) faults.push(`${id}: its devices see another plan than its account`);
  return faults;
}

/**
 * Returns bounds for the credit that is restored when invoices paid with credit and unused days are refunded. If
 * another invoice has already credited the refunded days, their value is deducted in addition, as far as credit
 * exists.
 */
function givenBack(life: Life, currency: BillingCurrency): readonly [least: number, most: number] {
  let [least, most] = [0, 0];
  for (const { _id, held, unused, value, ...invoice } of life.invoices) {
    const at = life.refunds.get(_id);
    if (at === undefined || invoice.kind !== 'plan' || invoice.currency !== currency) continue;
    const part = paidTime(life, at - 1).find((one) => one.invoice === _id);
    if (!part) least += Math.min(0, held + unused - value);
    if (part && part.end > at + BLUR) least += held + unused;
    if (!part || part.end > at) most += held + unused;
  }
  return [least, most];
}

/** Checks that money received equals paid lines plus credit, and that credit equals received minus used credit. */
export function faultsOfMoney(life: Life): readonly string[] {
  const { id, account, invoices, banked } = life;
  const faults: string[] = [];
  const expect = (isRight: boolean, what: string): void => void (isRight || faults.push(`${id}: ${what}`));
  const known = invoices.flatMap(({ payments }) => payments);
  expect(new Set(known.map((payment) => payment.id)).size === known.length && known.length === banked.length, 'payments are lost or twice');
  for (const currency of CURRENCIES) {
    const own = invoices.filter((invoice) => invoice.currency === currency);
    const settled = own.filter(isSettled);
    const credits = own.flatMap(({ payments }) => payments.filter(({ became }) => became === 'credit').map(({ amount }) => amount));
    const held = sum([...settled, ...own.filter(({ status }) => status === 'open')].map((invoice) => invoice.held));
    const moneyIn = sum(banked.filter((payment) => payment.currency === currency).map(({ amount }) => amount));
    expect(moneyIn === sum(settled.map(({ amount }) => amount)) + sum(credits), `${moneyIn} ${currency} came in, other sums were booked`);
    const leftovers = [
      ...settled.map(({ leftover }) => leftover),
      ...invoices.filter((invoice) => isSettled(invoice) && invoice.currency !== currency).map(({ leftover_other }) => leftover_other ?? 0),
    ];
    const credit = sum(credits) + sum(leftovers) - held;
    const [least, most] = givenBack(life, currency).map((given) => credit + given) as [number, number];
    const has = account.credit[currency];
    expect(has >= least && has <= most, `credit of ${has} ${currency} instead of ${least}${least === most ? '' : ` to ${most}`}`);
  }
  for (const { _id, lines, amount, payments, status } of invoices) {
    expect(sum(lines.map((line) => line.amount)) === amount, `the lines of ${_id}`);
    expect(payments.filter(({ became }) => became === 'settlement').length <= 1, `${_id} is settled twice`);
    const wentBack = banked.some(({ invoice, refunded }) => invoice === _id && refunded > 0);
    expect((status === 'refunded') === wentBack, `${_id} is ${status}`);
  }
  return faults;
}

/**
 * Checks that unused days of a former plan are credited only while they exist: nothing was bought or credited between
 * the invoice and its payment. Periods with less than a day left credit nothing, and may end in between.
 */
export function faultsOfUnusedDays(life: Life): readonly string[] {
  const left = (at: number, since: number): string =>
    paidTime(life, at)
      .filter(({ end }) => end >= since + DAY)
      .map(({ invoice }) => invoice)
      .join();
  const giving = life.invoices.filter(({ unused, leftover, leftover_other = 0 }) => unused + leftover + leftover_other > 0);
  return giving
    .filter(({ created_at, paid_at }) => {
      // A payment in the same millisecond as the invoice may have come before or after it.
      const before = [created_at - 1, created_at].map((at) => left(at, created_at));
      return paid_at !== null && !before.includes(left(paid_at - 1, created_at));
    })
    .map(({ _id }) => `${life.id}: ${_id} gives back days that are not there`);
}

const monthOf = (at: number): string => new Date(at + ZONE_MS).toISOString().slice(0, 7);

/**
 * Checks that each month's overage matches the log (`sent`, epoch ms) and is billed once, under the month's largest
 * plan with overage.
 */
export function faultsOfOverage(
  { id, invoices, applied }: Life,
  sent: readonly number[],
  plans: Plans,
  months: readonly string[],
): readonly string[] {
  const faults: string[] = [];
  const sentIn = Map.groupBy(sent, monthOf);
  for (const month of months) {
    const before = applied.filter(({ at }) => monthOf(at) < month).at(-1);
    const seen = [before, ...applied.filter(({ at }) => monthOf(at) === month)]
      .flatMap((change) => plans.get(change?.plan ?? 'free') ?? [])
      .filter(({ overage }) => overage !== null);
    const quota = seen.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...seen.map(({ messages }) => messages));
    const beyond = Math.max(0, (sentIn.get(month)?.length ?? 0) - quota);
    const bills = invoices.filter((invoice) => invoice.month === month);
    const billed = bills.map(({ lines }) => lines[0]?.quantity);
    const price = plans.get(bills[0]?.plan ?? '')?.overage?.[bills[0]?.currency ?? 'IDR'] ?? 0;
    if (billed.join() !== (beyond > 0 ? [beyond] : []).join())
      faults.push(`${id}: ${month} billed ${billed.join() || 0} instead of ${beyond}`);
    else if (beyond > 0 && bills[0]?.lines[0]?.amount !== Math.ceil((beyond * price) / 1_000)) faults.push(`${id}: the price of ${month}`);
  }
  return faults;
}

/** Checks that the numbers of all paid invoices form one sequence without gaps. */
export function faultsOfNumbers(invoices: readonly InvoiceRow[]): readonly string[] {
  const paid = invoices.filter(isSettled);
  const places = paid.map(placeOf).toSorted((one, other) => one - other);
  const gap = places.findIndex((place, nth) => place !== nth + 1);
  const early = invoices.filter((invoice) => !isSettled(invoice) && invoice.number !== null);
  return [
    ...(gap >= 0 ? [`number ${places[gap]} stands where ${gap + 1} should`] : []),
    ...early.map(({ _id }) => `${_id} has a number and is not paid`),
  ];
}
