import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Xendit } from 'xendit-node';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { midtrans } from '../../../../actors/services/billing/midtrans.ts';
import { payUrlOf } from '../../../../actors/services/billing/payment-page.ts';
import type { PaymentProvider } from '../../../../actors/services/billing/provider.ts';
import { stripe } from '../../../../actors/services/billing/stripe.ts';
import { xendit } from '../../../../actors/services/billing/xendit.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import type { ProviderId } from '../../../../store/billing/invoices.ts';
import { anEngine } from '../../../support/billing/engine.ts';
import { providerDoubles, SERVER_KEY } from '../../../support/billing/provider-doubles.ts';
import { eachStore } from '../../../support/stores.ts';

const SECRET = 'xnd_development_EXAMPLE0001';
/** Of the real clock: a silent provider is not waited for longer. */
const SOON_MS = 50;
const PATIENT_MS = 60_000;

const make: Readonly<Record<Exclude<ProviderId, 'sandbox'>, (url: string, clock: Clock, timeoutMs: number) => PaymentProvider>> = {
  midtrans: (url, clock, timeoutMs) => midtrans({ serverKey: SERVER_KEY, url, clock, timeoutMs }),
  xendit: (url, clock, timeoutMs) => xendit({ secretKey: SECRET, callbackToken: 'token', url, clock, timeoutMs }),
  stripe: (url, _clock, timeoutMs) => stripe({ secretKey: 'sk_test_EXAMPLE0001', webhookSecret: 'whsec_x', url, timeoutMs }),
};

eachStore('an unresponsive payment provider', (kind) => {
  for (const provider of ['midtrans', 'xendit', 'stripe'] as const)
    it(`causes a timeout, but neither the invoice nor a later payment is lost (${provider})`, async (t) => {
      const [doubles, store, clock] = [await providerDoubles(t), await kind.fresh(t), new VirtualClock()];
      const nodeWith = (timeoutMs: number) =>
        anEngine(store, { clock, plans: plansFrom({}), providers: [make[provider](doubles.url, clock, timeoutMs)] });
      const [hasty, patient] = [nodeWith(SOON_MS), nodeWith(PATIENT_MS)];
      const currency = provider === 'stripe' ? 'USD' : 'IDR';
      doubles.fault = 'silence';
      await assert.rejects(hasty.buy('t', 'pro', currency), { code: 'PROVIDER_UNAVAILABLE' });
      doubles.fault = 'none';
      const { invoice } = await patient.buy('t', 'pro', currency);
      assert.ok(invoice);
      assert.equal((await Array.fromAsync(patient.invoices.list('t', { limit: 10, before: null, beforeId: null }))).length, 1);

      Object.assign(doubles.page(invoice._id), { paid: true });
      doubles.fault = 'silence';
      assert.deepEqual(await hasty.confirm.confirm(invoice), { is: 'unverified' });
      assert.equal((await hasty.ledger.load('t')).account.plan, 'free');
      doubles.fault = 'none';
      clock.jump(60_000);
      await patient.bill('t');
      assert.equal((await patient.ledger.load('t')).account.plan, 'pro');
      assert.equal((await patient.invoices.find('t', invoice._id))?.unverified, false);
    });
});

eachStore('a payment page whose creation was not confirmed', (kind) => {
  for (const provider of ['midtrans', 'xendit', 'stripe'] as const)
    for (const fault of ['lost', 'error', 'apiError'] as const)
      it(`is returned by a later call on ${provider} (${fault})`, async (t) => {
        const [doubles, store, clock] = [await providerDoubles(t), await kind.fresh(t), new VirtualClock()];
        const nodeWith = (timeoutMs: number) =>
          anEngine(store, { clock, plans: plansFrom({}), providers: [make[provider](doubles.url, clock, timeoutMs)] });
        const currency = provider === 'stripe' ? 'USD' : 'IDR';
        for (const minutes of [0, 2, 300, 23 * 60, 24 * 60 - 20]) {
          const tenant = `t${minutes}`;
          doubles.fault = fault;
          await assert.rejects(nodeWith(SOON_MS).buy(tenant, 'pro', currency), { code: 'PROVIDER_UNAVAILABLE' });
          doubles.fault = 'none';
          clock.jump(minutes * 60_000 + 1_000);
          const { invoice, isNew } = await nodeWith(PATIENT_MS).buy(tenant, 'pro', currency);
          assert.ok(!isNew && payUrlOf(invoice!, clock.now()) !== null, `after ${minutes} minutes`);
        }
      });
});

it('a payment provider is not called for half a minute after five consecutive failures', async (t) => {
  const [doubles, clock] = [await providerDoubles(t), new VirtualClock()];
  const till = midtrans({ serverKey: SERVER_KEY, url: doubles.url, clock, timeoutMs: PATIENT_MS });
  const ask = () => till.ask({ payments: [] }, { ref: '01JD3X5Z8K9QW2E4R6T8Y0B1N3', provider_id: null });
  doubles.fault = 'error';
  for (let nth = 0; nth < 5; nth += 1) await assert.rejects(ask(), /responded with 500/);
  doubles.fault = 'none';
  await assert.rejects(ask(), /are paused/);
  assert.equal(doubles.asked, 0);
  clock.jump(30_000);
  assert.deepEqual(await ask(), { status: 'pending', isFinal: false, payments: [] });
});

it('an older Xendit invoice that the official client created and refunded is read correctly', async (t) => {
  const [doubles, clock] = [await providerDoubles(t), new VirtualClock()];
  const client = new Xendit({ secretKey: SECRET, xenditURL: doubles.url });
  const ref = '01JD3X5Z8K9QW2E4R6T8Y0B1N3';
  const { id: provider_id = '' } = await client.Invoice.createInvoice({ data: { externalId: ref, amount: 99_000, currency: 'IDR' } });
  const till = xendit({ secretKey: SECRET, callbackToken: 'token', url: doubles.url, clock, timeoutMs: PATIENT_MS });
  const ask = () => till.ask({ payments: [] }, { ref, provider_id });
  assert.deepEqual(await ask(), { status: 'PENDING', isFinal: false, payments: [] });
  const page = Object.assign(doubles.page(ref), { paid: true });
  assert.equal((await client.Invoice.getInvoiceById({ invoiceId: provider_id })).status, 'PAID');
  const [payment] = (await ask()).payments;
  assert.deepEqual([payment?.amount, payment?.isOurs, payment?.refunded], [99_000, true, 0]);
  page.refunded = 40_000;
  const { data } = await client.Refund.getAllRefunds({ invoiceId: provider_id });
  assert.equal(data.length, 2);
  assert.equal((await ask()).payments[0]?.refunded, 40_000);
});
