import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { InvoicePayment } from '../../store/billing/invoices.ts';
import { PROVIDERS, type Provider } from '../support/billing/callbacks.ts';
import { aProviderTill, callOf, PAYMENT } from '../support/billing/provider-till.ts';
import type { Answer } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

/** The fields in which each provider names money. */
const AMOUNT: Readonly<Record<Provider, string>> = { midtrans: 'gross_amount', xendit: 'amount', stripe: 'amount_total' };
/** What is no amount, or not the invoice's; JSON has no NaN, but numbers that no double holds. */
const ODD_AMOUNTS: readonly unknown[] = [
  ...[12.5, -1, -499_000, 499_000.000_001, 0, 1e21, 2 ** 53, Number.MAX_VALUE, null, true, false],
  ...[
    '',
    ' ',
    '-5',
    '12.5',
    '499000.01',
    '4.99e5',
    '1e400',
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    '0x79d38',
    ' 499000 ',
    '٤٩٩٠٠٠',
    '499,000',
  ],
  ...['9'.repeat(400), 'x'.repeat(10_000), '\u0000', [], [499_000], {}, { value: 499_000 }, [[[]]]],
];

eachStore('billing with a payment provider', (kind) => {
  for (const provider of PROVIDERS) {
    it(`rejects and audits invalid amounts from ${provider}, but settles the correct payment`, async (t) => {
      const { checkout, hook, doubles, plan, invoice, gateway, tenant, billing } = await aProviderTill(t, kind);
      const { id } = (await checkout(provider)).body.invoice;
      const page = Object.assign(doubles.page(id), { paid: true });
      const field = AMOUNT[provider];
      for (const [nth, amount] of ODD_AMOUNTS.entries()) {
        page.says = { [field]: amount, ...PAYMENT[provider](nth) };
        const { status, body } = await hook(provider, page);
        assert.deepEqual([status, body], [200, { ok: false, status: 'rejected' }], JSON.stringify(amount)?.slice(0, 60));
      }
      // Parts that go back, of no amount either.
      for (const refunded of [12.5, -7, Number.NaN]) {
        page.says = { ...PAYMENT[provider](0), [field]: 1 };
        page.refunded = refunded;
        assert.equal((await hook(provider, page)).status, 200);
      }
      page.refunded = 0;
      assert.equal(await plan(), 'free');
      const { rejected } = (await gateway.operator('GET', '/v1/admin/billing')).body;
      assert.deepEqual([rejected.length, rejected[0].payments.length], [1, ODD_AMOUNTS.length]);
      assert.ok(rejected[0].payments.every(({ amount, reason }: InvoicePayment) => Number.isSafeInteger(amount) && reason === 'amount'));
      const { entries } = (await tenant.api('GET', '/v1/audit?action=payment.reject&limit=200')).body;
      assert.equal(entries.length, ODD_AMOUNTS.length);
      page.says = PAYMENT[provider](ODD_AMOUNTS.length);
      assert.deepEqual((await hook(provider, page)).body, { ok: true });
      assert.deepEqual([await plan(), (await invoice(id)).status, (await billing()).credit.amount], ['pro', 'paid', 0]);
    });

    it(`settles a callback from ${provider} that arrives before the payment page is returned`, async (t) => {
      const { checkout, doubles, plan, gateway } = await aProviderTill(t, kind);
      const early: Answer[] = [];
      doubles.beforeAnswer = async (page) => {
        page.paid = true;
        early.push(await callOf(gateway, provider, page, {}));
      };
      const before = gateway.clock.monotonic();
      const { status, body } = await checkout(provider);
      assert.deepEqual([status, early[0]?.status, early[0]?.body], [201, 200, { ok: true }]);
      assert.equal(await plan(), 'pro');
      assert.ok(gateway.clock.monotonic() - before < 10_000);
      assert.equal(doubles.pages.size, 1);
      assert.equal((await gateway.operator('GET', '/v1/admin/billing')).body.unverified.length, 0);
      assert.equal(body.invoice.status, 'paid');
    });
  }
});
