import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type BillingContext, type Change, newAccount } from '../../../../actors/domain/billing/account.ts';
import { advanced } from '../../../../actors/domain/billing/advance.ts';
import { cancelled, isForLater, opened, quoted, resumed, scheduled, withoutHold } from '../../../../actors/domain/billing/checkout.ts';
import { confirmed } from '../../../../actors/domain/billing/settle.ts';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import type { AccountRow, Funding } from '../../../../store/billing/accounts.ts';
import type { BillingCurrency, InvoicePayment, InvoiceRow } from '../../../../store/billing/invoices.ts';

const DAY = 86_400_000;
const PLANS = plansFrom({});
const CURRENCIES = ['IDR', 'USD'] as const;
const NAMES = ['starter', 'pro', 'business'] as const;
const SEEDS = 150;
const STEPS = 60;

/** Numbers from 0 to below 1, the same for the same seed. */
function chances(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

function run(seed: number): void {
  const chance = chances(seed);
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(chance() * all.length)];
  const invoices = new Map<string, InvoiceRow>();
  let account: AccountRow = newAccount('t', 'free', 'IDR');
  let now = Date.UTC(2026, 0, 31);
  const moneyIn = { IDR: 0, USD: 0 };
  const takenBack = { IDR: 0, USD: 0 };
  /** Paid time whose days were given back, and what of it, or of time before it, is owed since the payment went back. */
  const replaced = new Map<string, { readonly part: Funding; readonly by: InvoiceRow }>();
  const owed = new Map<InvoiceRow['_id'], number>();
  /** The last in the row of those that took the place of one another. */
  const lastOf = (id: InvoiceRow['_id']): InvoiceRow['_id'] => {
    const time = replaced.get(id);
    const next = time && replaced.get(time.by._id);
    return next?.part.currency === time?.part.currency && next ? lastOf(next.part.invoice) : id;
  };
  let ids = 0;
  let zone = 'Asia/Jakarta';
  const nextId = (kind: string): string => {
    ids += 1;
    return `${kind}${ids}`;
  };
  const context = (): BillingContext => ({
    now,
    zone,
    locale: 'en',
    currency: 'IDR',
    plans: PLANS,
    taxRate: seed % 2 === 0 ? 1_100 : 0,
    newId: () => nextId('i'),
    providerFor: () => 'sandbox',
  });
  const apply = (change: Change | null): boolean => {
    if (!change || (change.account === account && change.outbox.length === 0)) return false;
    for (const item of change.outbox) if (item.kind === 'invoice') invoices.set(item.row._id, item.row);
    for (const item of change.outbox)
      if (item.kind === 'invoice' && item.row.status === 'paid')
        for (const part of replacedParts(account, change.account, item.row)) replaced.set(part.invoice, { part, by: item.row });
    account = { ...change.account, rev: account.rev + 1, outbox: [] };
    return true;
  };
  const open = (): InvoiceRow | null => (account.open ? (invoices.get(account.open.invoice) ?? null) : null);
  const checkout = (): void => {
    const plan = PLANS.get(pick(NAMES) ?? 'pro')!;
    const currency = chance() < 0.8 ? 'IDR' : 'USD';
    if (isForLater(account, plan, currency, context())) return void apply(scheduled(account, plan.name, open()));
    const invoice = quoted(withoutHold(account, open()), { plan, provider: 'sandbox', currency }, context());
    apply(opened(account, invoice, open(), context()));
  };
  const pay = (): void => {
    const invoice = pick([...invoices.values()].filter(({ amount }) => amount > 0));
    if (!invoice) return;
    const id = nextId('p');
    const { amount, currency } = invoice;
    const fact = { id, amount, currency, isOurs: true, refunded: 0, dispute: null, evidence: '' };
    moneyIn[currency] += amount;
    const before = account;
    apply(confirmed(account, invoice, [fact], context()));
    expectUnusedDays(seed, before, account, invoices.get(invoice._id)!);
    const [plan, rev] = [account.plan, account.basis];
    // The same call again, ten times.
    for (let nth = 0; nth < 10; nth += 1) apply(confirmed(account, invoices.get(invoice._id)!, [fact], context()));
    assert.deepEqual([account.plan, account.basis], [plan, rev], `replayed after ${before.plan}`);
  };
  const payBack = (): void => {
    const invoice = pick([...invoices.values()].filter(({ status, amount }) => status === 'paid' && amount > 0));
    const payment = invoice?.payments.find(({ became }) => became === 'settlement');
    if (!invoice || !payment) return;
    const { id, amount, currency } = payment;
    const fact = { id, amount, currency, isOurs: true, refunded: amount, dispute: null, evidence: '' };
    const time = replaced.get(invoice._id);
    if (time || account.funding.some((part) => part.invoice === invoice._id && part.end > now)) {
      const paidBy = [...replaced.values()].filter(({ part, by }) => by._id === invoice._id && part.currency === invoice.currency);
      const owedBefore = paidBy.reduce((total, { part }) => total + (owed.get(part.invoice) ?? 0), 0);
      for (const { part } of paidBy) owed.delete(part.invoice);
      const besides = invoice.held + Math.max(0, invoice.unused - owedBefore);
      const due = time ? worthOf(time.part, time.by.created_at) + (owed.get(invoice._id) ?? 0) : 0;
      const taken = Math.min(due, account.credit[invoice.currency] + besides);
      takenBack[invoice.currency] += taken - besides;
      owed.delete(invoice._id);
      const last = lastOf(invoice._id);
      owed.set(last, (owed.get(last) ?? 0) + due - taken);
    }
    for (let nth = 0; nth < 3; nth += 1) apply(confirmed(account, invoices.get(invoice._id) ?? invoice, [fact], context()));
    assert.equal(invoices.get(invoice._id)?.status, 'refunded');
  };
  // It is refunded, disputed all the same, and the dispute is won.
  const takeBack = (): void => {
    const invoice = pick([...invoices.values()].filter(({ payments }) => payments.some(isCredit)));
    const payment = invoice?.payments.find(isCredit);
    if (!invoice || !payment) return;
    const { id, amount } = payment;
    takenBack[invoice.currency] += Math.min(amount, account.credit[invoice.currency]);
    for (const dispute of [null, 'open', null] as const) {
      const fact = { id, amount, currency: invoice.currency, isOurs: true, refunded: amount, dispute, evidence: '' };
      apply(confirmed(account, invoices.get(invoice._id)!, [fact], context()));
    }
  };
  const passUnseen = (): void => {
    now += Math.floor(chance() * 12 * DAY);
  };
  const pass = (): void => {
    now += Math.floor(chance() * 12 * DAY);
    for (let steps = 0; apply(advanced(account, invoices, context())); steps += 1) assert.ok(steps < 100, 'time never settles');
  };
  for (let step = 0; step < STEPS; step += 1) {
    const end = account.funding.at(-1)?.end ?? 0;
    const { plan } = account;
    if (chance() < 0.05) zone = pick(['Asia/Jakarta', 'UTC', 'Pacific/Kiritimati']) ?? zone;
    const cancel = () => apply(cancelled(account, open()));
    const act = pick([
      checkout,
      checkout,
      pay,
      pay,
      pass,
      pass,
      passUnseen,
      payBack,
      takeBack,
      cancel,
      () => apply(resumed(account, open())),
    ]);
    act?.();
    const later = account.funding.at(-1)?.end;
    if (later !== undefined && account.plan === plan && act !== payBack) assert.ok(later >= end, `seed ${seed}: a period went back`);
    if (later !== undefined && act === payBack) assert.ok(later <= end, `seed ${seed}: money that went back bought time`);
    expectPaidTime(seed, account, now);
    expectBalance(seed, account, [...invoices.values()], moneyIn, takenBack);
  }
}

const isCredit = ({ became, refunded }: InvoicePayment): boolean => became === 'credit' && refunded === 0;

/** In order, without gaps in the time to come, each part of a month. */
function expectPaidTime(seed: number, { funding }: AccountRow, now: number): void {
  for (const [nth, { start, end }] of funding.entries()) {
    const days = (end - start) / DAY;
    assert.ok(days > 0 && days <= 31 && (days >= 28 || nth === 0), `seed ${seed}: ${days} days`);
    const before = funding[nth - 1]?.end ?? start;
    assert.ok(start === before || (before < start && start <= now), `seed ${seed}: a gap`);
  }
}

/** What the invoice took the place of, where it gave back some of that. */
function replacedParts(before: AccountRow, { funding: [first] }: AccountRow, invoice: InvoiceRow): readonly Funding[] {
  const { _id, unused, leftover, leftover_other = 0 } = invoice;
  const hasReplaced = first?.invoice === _id && before.funding[0]?.invoice !== _id;
  if (!hasReplaced || unused + leftover + leftover_other === 0) return [];
  return before.funding.filter((part) => worthOf(part, invoice.created_at) > 0);
}

/** Whole days that were left of paid time, in parts of what was paid for it. */
const worthOf = ({ start, end, value }: Funding, at: number): number =>
  Math.round(
    (value * Math.max(0, Math.min(Math.floor((end - at) / DAY), Math.round((end - start) / DAY)))) / Math.round((end - start) / DAY),
  );

/** What an invoice took the place of is given back, as far as whole days of it were left when it was made. */
function expectUnusedDays(seed: number, before: AccountRow, after: AccountRow, invoice: InvoiceRow): void {
  const [first] = after.funding;
  if (first?.invoice !== invoice._id || before.funding[0]?.invoice === first.invoice) return;
  const { unused, leftover, leftover_other = 0 } = invoice;
  for (const currency of CURRENCIES) {
    const given = currency === invoice.currency ? unused + leftover : leftover_other;
    const left = before.funding.filter((part) => part.currency === currency && part.end - invoice.created_at >= DAY);
    assert.ok(given === 0 || left.length > 0, `seed ${seed}: days that are not there are given back by ${invoice._id}`);
    assert.ok(given > 0 || left.every(({ end }) => end <= (invoice.paid_at ?? 0)), `seed ${seed}: days are lost to ${invoice._id}`);
  }
}

function expectBalance(
  seed: number,
  { credit }: AccountRow,
  invoices: readonly InvoiceRow[],
  moneyIn: Readonly<Record<BillingCurrency, number>>,
  takenBack: Readonly<Record<BillingCurrency, number>>,
): void {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  const isPaid = ({ paid_at }: InvoiceRow): boolean => paid_at !== null;
  for (const currency of CURRENCIES) {
    const own = invoices.filter((invoice) => invoice.currency === currency);
    const settled = sum(own.filter(isPaid).map(({ amount }) => amount));
    const payments = own.flatMap((invoice) => invoice.payments);
    const credited = sum(payments.filter(({ became }) => became === 'credit').map(({ amount }) => amount));
    assert.equal(moneyIn[currency], settled + credited, `seed ${seed}: money in is paid lines and credit`);
    const held = sum(own.filter((one) => isPaid(one) || one.status === 'open').map((one) => one.held));
    const leftover = sum(own.filter(isPaid).map((one) => one.leftover));
    const other = sum(invoices.filter((one) => isPaid(one) && one.currency !== currency).map((one) => one.leftover_other ?? 0));
    assert.equal(
      credit[currency] + held,
      credited + leftover + other - takenBack[currency],
      `seed ${seed}: credit is what came in as credit`,
    );
  }
  assert.ok(credit.IDR >= 0 && credit.USD >= 0, `seed ${seed}: credit below nothing`);
  for (const { _id, amount, lines, payments: own } of invoices) {
    assert.equal(sum(lines.map((line) => line.amount)), amount, `seed ${seed}: the lines of ${_id}`);
    assert.ok(own.filter(({ became }) => became === 'settlement').length <= 1, `seed ${seed}: ${_id} is settled twice`);
  }
}

it('billing loses no money, books each payment once, and never shortens paid time in random histories', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) run(seed);
});
