import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ACCOUNT_TRANSITIONS,
  type AccountEvent,
  type AccountState,
  type BillingContext,
  INVOICE_TRANSITIONS,
  inStatus,
  moved,
  newAccount,
} from '../../../../actors/domain/billing/account.ts';
import { opened, quoted } from '../../../../actors/domain/billing/checkout.ts';
import { overagePrice, rounded, written } from '../../../../actors/domain/billing/money.ts';
import { monthBounds, monthIn, periodEnd } from '../../../../actors/domain/billing/periods.ts';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import type { AccountRow } from '../../../../store/billing/accounts.ts';
import type { InvoiceStatus } from '../../../../store/billing/invoices.ts';

const NOW = Date.UTC(2026, 0, 31, 5);
const PLANS = plansFrom({});
const CONTEXT: BillingContext = {
  now: NOW,
  zone: 'Asia/Jakarta',
  locale: 'en',
  currency: 'IDR',
  plans: PLANS,
  taxRate: 0,
  newId: () => '01JD3X5Z8K9QW2E4R6T8Y0B1N3',
  providerFor: () => 'sandbox',
};

const accountIn = (state: AccountState): AccountRow => ({
  ...newAccount('t', state === 'free' ? 'free' : 'pro', 'IDR'),
  grace_until: state === 'grace' ? NOW : null,
});

describe('a billing account', () => {
  const states: readonly AccountState[] = ['free', 'active', 'grace'];
  const events: readonly AccountEvent[] = ['paid', 'periodEnded', 'graceEnded', 'refunded', 'given'];

  it('changes state only as listed in the transition table', () => {
    for (const from of states)
      for (const event of events)
        for (const to of states) {
          const move = () => moved(accountIn(from), event, accountIn(to));
          if (ACCOUNT_TRANSITIONS[from][event]?.includes(to)) assert.doesNotThrow(move);
          else assert.throws(move, /does not go from/, `${from} ${event} ${to}`);
        }
  });
});

describe('an invoice', () => {
  const invoice = quoted(newAccount('t', 'free', 'IDR'), { plan: PLANS.get('pro')!, provider: 'sandbox', currency: 'IDR' }, CONTEXT);

  it('changes status only as listed in the transition table', () => {
    const statuses: readonly InvoiceStatus[] = ['open', 'paid', 'expired', 'void', 'refunded', 'disputed'];
    for (const status of statuses)
      for (const to of statuses) {
        const move = () => inStatus({ ...invoice, status }, to);
        if (INVOICE_TRANSITIONS[status].includes(to)) assert.doesNotThrow(move);
        else assert.throws(move, /does not go from/, `${status} ${to}`);
      }
  });

  it('has lines that add up to its amount, with tax rounded half up', () => {
    const account = { ...newAccount('t', 'free', 'IDR'), credit: { IDR: 552_950, USD: 0 } };
    const { amount, lines, held } = quoted(
      account,
      { plan: PLANS.get('pro')!, provider: 'sandbox', currency: 'IDR' },
      { ...CONTEXT, taxRate: 1_100 },
    );
    assert.deepEqual(
      lines.map((line) => [line.kind, line.amount]),
      [
        ['plan', 499_000],
        ['tax', 54_890],
        ['credit', -552_890],
      ],
    );
    assert.deepEqual([amount, held], [1_000, 552_890]);
  });
});

describe('an upgrade', () => {
  it("charges at least the provider's minimum, and credits the rest of the unused days", () => {
    const upgrade = (value: number) => {
      const part = { invoice: 'i', plan: 'starter', start: NOW, end: NOW + 30 * 86_400_000, value, currency: 'USD' } as const;
      const account: AccountRow = { ...newAccount('t', 'starter', 'USD'), funding: [part] };
      const { amount, unused, leftover } = quoted(account, { plan: PLANS.get('pro')!, provider: 'stripe', currency: 'USD' }, CONTEXT);
      return [amount, unused, leftover];
    };
    assert.deepEqual([2_000, 2_890, 2_900, 3_000].map(upgrade), [
      [900, 2_000, 0],
      [50, 2_850, 40],
      [0, 2_900, 0],
      [0, 2_900, 100],
    ]);
  });
});

describe('money amounts', () => {
  it('are rounded only once: overage up, partial periods half up', () => {
    assert.deepEqual([overagePrice(1, 15_000), overagePrice(1_001, 100), overagePrice(0, 100)], [15, 101, 0]);
    assert.deepEqual([rounded(1, 2), rounded(149_000 * 20, 31), rounded(1, 3)], [1, 96_129, 0]);
    assert.deepEqual([written(1_999_000, 'IDR'), written(-11_905, 'USD')], ['Rp 1.999.000', '-US$ 119.05']);
  });
});

describe('billing periods', () => {
  const zone = 'Asia/Jakarta';
  const day = (at: number): string => new Date(at + 7 * 3_600_000).toISOString().slice(0, 10);

  it('end on the day of the month on which they began, or on the last day of a shorter month', () => {
    const [feb, mar, apr] = [1, 2, 3].reduce<number[]>(
      (ends) => [...ends, periodEnd(ends.at(-1) ?? NOW, { anchor: 31, anchor_zone: zone })],
      [],
    );
    assert.deepEqual(
      [feb, mar, apr].map((at) => day(at!)),
      ['2026-02-28', '2026-03-31', '2026-04-30'],
    );
    assert.equal(day(periodEnd(Date.UTC(2026, 11, 31, 5), { anchor: 31, anchor_zone: zone })), '2027-01-31');
  });

  it('are whole months, even if the tenant changes time zones between payments', () => {
    const days = (zones: readonly string[], first: number): number[] => {
      const paid = zones.reduce<AccountRow>(
        (account, zone) => {
          const context = { ...CONTEXT, zone, now: first };
          const order = { plan: PLANS.get('pro')!, provider: 'sandbox', currency: 'IDR' } as const;
          return opened(account, quoted(account, order, context), null, context).account;
        },
        { ...newAccount('t', 'free', 'IDR'), credit: { IDR: 10_000_000, USD: 0 } },
      );
      return paid.funding.map(({ start, end }) => (end - start) / 86_400_000);
    };
    for (const first of ['2026-01-31T05:00Z', '2026-01-31T20:00Z', '2026-12-31T20:00Z', '2026-02-28T20:00Z'].map(Date.parse))
      for (const zones of [
        ['Asia/Jakarta', 'UTC', 'UTC', 'Asia/Jakarta'],
        ['UTC', 'Asia/Jakarta', 'UTC', 'UTC'],
        ['UTC', 'Pacific/Kiritimati'],
      ])
        for (const length of days(zones, first))
          assert.ok(length >= 28 && length <= 31, `${length} days from ${new Date(first).toISOString()}`);
  });

  it("follow calendar months in the tenant's time zone for the quota", () => {
    const lastHour = Date.UTC(2026, 0, 31, 17);
    assert.deepEqual([monthIn(zone, lastHour - 1), monthIn(zone, lastHour), monthIn('UTC', lastHour)], ['2026-01', '2026-02', '2026-01']);
    assert.deepEqual(monthBounds(zone, '2026-12'), { start: Date.UTC(2026, 10, 30, 17), end: Date.UTC(2026, 11, 31, 17) });
  });
});
