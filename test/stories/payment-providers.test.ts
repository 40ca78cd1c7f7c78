import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { it } from 'node:test';
import Stripe from 'stripe';
import type { InvoiceRow } from '../../store/billing/invoices.ts';
import { callbackOf, PROVIDERS, type Provider, stripeSignature, TOKEN } from '../support/billing/callbacks.ts';
import { midtransStatus, type Page, providerDoubles, SERVER_KEY, xenditInvoice } from '../support/billing/provider-doubles.ts';
import { aProviderTill, callOf, PAYMENT } from '../support/billing/provider-till.ts';
import type { Answer } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

/** The library has no types of its own. */
interface MidtransClient {
  readonly Snap: new (
    options: object,
  ) => {
    readonly apiConfig: { getSnapApiBaseUrl: () => string };
    createTransaction(order: object): Promise<{ readonly redirect_url: string }>;
  };
}

const DAY = 86_400_000;
/** What each provider calls with when money went back. */
const REFUND: Readonly<Record<Provider, (page: Page) => object>> = {
  midtrans: () => ({}),
  xendit: ({ id, refunded }) => ({
    event: 'refund.succeeded',
    data: {
      id: `rfd-${id}`,
      payment_id: `py-${id}`,
      invoice_id: null,
      amount: refunded,
      status: 'SUCCEEDED',
      reference_id: 'of the refund',
    },
  }),
  stripe: ({ ref }) => ({ type: 'charge.refunded', data: { object: { id: 'ch_1', payment_intent: `pi_${ref}` } } }),
};
/** Too little, in another currency, for somebody else. */
const MISFITS: Readonly<Record<Provider, readonly Readonly<Record<string, unknown>>[]>> = {
  midtrans: [{ gross_amount: '1.00' }, { currency: 'USD' }, { order_id: 'of somebody else' }],
  xendit: [{ amount: 1 }, { currency: 'USD' }, { reference_id: 'of somebody else' }],
  stripe: [{ amount_total: 1 }, { currency: 'idr' }, { client_reference_id: 'of somebody else' }],
};
const PRICES = { midtrans: 499_000, xendit: 499_000, stripe: 2_900 } as const;

eachStore('billing with payment providers', (kind) => {
  for (const provider of PROVIDERS) {
    it(`verifies each callback from ${provider}, and applies it only once`, async (t) => {
      const { checkout, hook, doubles, plan, invoice, gateway, tenant } = await aProviderTill(t, kind);
      const made = await checkout(provider);
      assert.deepEqual([made.status, made.body.invoice.amount], [201, PRICES[provider]]);
      assert.match(made.body.payment_url, /^https:/);
      const page = doubles.page(made.body.invoice.id);
      const early = await hook(provider, page);
      assert.deepEqual([early.status, early.body.ok, await plan()], [200, false, 'free']);
      page.paid = true;
      const answers = await gateway.during(Promise.all(Array.from({ length: 8 }, () => hook(provider, page))));
      assert.deepEqual([...new Set(answers.map(({ status, body }) => `${status} ${body.ok}`))], ['200 true']);
      assert.equal(await plan(), 'pro');
      const paid = await invoice(made.body.invoice.id);
      assert.deepEqual([paid.status, paid.number?.slice(-6)], ['paid', '000001']);
      const { credit } = (await tenant.api('GET', '/v1/billing')).body;
      assert.equal(credit.amount, 0);
    });

    it(`rejects a mismatched payment from ${provider}, but settles the correct one`, async (t) => {
      const { checkout, hook, doubles, plan, invoice, gateway } = await aProviderTill(t, kind);
      const { id } = (await checkout(provider)).body.invoice;
      const page = Object.assign(doubles.page(id), { paid: true });
      for (const [nth, says] of MISFITS[provider].entries()) {
        page.says = { ...says, ...PAYMENT[provider](nth) };
        for (const _ of [1, 2]) assert.deepEqual((await hook(provider, page)).body, { ok: false, status: 'rejected' });
      }
      assert.equal(await plan(), 'free');
      const { rejected } = (await gateway.operator('GET', '/v1/admin/billing')).body;
      const reasons = rejected[0].payments.map(({ reason }: { reason: string }) => reason);
      assert.deepEqual([rejected.length, reasons], [1, ['amount', 'currency', 'reference']]);
      page.says = PAYMENT[provider](4);
      assert.deepEqual((await hook(provider, page)).body, { ok: true });
      assert.deepEqual([await plan(), (await invoice(id)).status], ['pro', 'paid']);
    });

    it(`settles only the invoice of the tenant that paid (${provider})`, async (t) => {
      const { checkout, doubles, plan, gateway } = await aProviderTill(t, kind);
      const stranger = await gateway.signUp('Stranger', '+62 811-0000-8888');
      const order = { plan: 'pro', provider, currency: provider === 'stripe' ? 'USD' : 'IDR' };
      const theirs = (await gateway.during(stranger.api('POST', '/v1/billing/checkout', order))).body.invoice;
      const { id } = (await checkout(provider)).body.invoice;
      const page = Object.assign(doubles.page(theirs.id), { paid: true });
      const { path, body, headers } = callbackOf(provider, page, gateway.clock.now());
      const altered = await gateway.during(gateway.api('POST', path, body.replaceAll(theirs.id, id), headers));
      // Xendit signs nothing: it is asked, and nobody paid there.
      const wanted = provider === 'xendit' ? [200, false, 'ACTIVE'] : [401, undefined, undefined];
      assert.deepEqual([altered.status, altered.body.ok, altered.body.status], wanted);
      assert.equal(await plan(), 'free');
      assert.equal((await stranger.api('GET', `/v1/billing/invoices/${id}`)).status, 404);
    });

    it(`retries an unreachable ${provider}, and handles early and lost callbacks`, async (t) => {
      const { checkout, hook, doubles, plan, gateway } = await aProviderTill(t, kind);
      const early: Answer[] = [];
      doubles.beforeAnswer = async (page) => void early.push(await callOf(gateway, provider, page, {}));
      const { id } = (await checkout(provider)).body.invoice;
      assert.deepEqual(
        [early[0]?.status, early[0]?.body],
        [200, { ok: false, status: { midtrans: 'pending', xendit: 'ACTIVE', stripe: 'unpaid' }[provider] }],
      );
      const page = Object.assign(doubles.page(id), { paid: true });
      doubles.fault = 'error';
      const unasked = await hook(provider, page);
      assert.deepEqual([unasked.status, unasked.body.status], provider === 'midtrans' ? [200, 'unverified'] : [503, undefined]);
      assert.equal((await gateway.operator('GET', '/v1/admin/billing')).body.unverified.length, 1);
      doubles.fault = 'none';
      await gateway.until('the poller asks', async () => (await plan()) === 'pro');
      assert.equal((await gateway.operator('GET', '/v1/admin/billing')).body.unverified.length, 0);
    });

    it(`ignores forged, modified, old, future and foreign callbacks from ${provider}`, async (t) => {
      const { checkout, doubles, plan, gateway } = await aProviderTill(t, kind);
      const { id } = (await checkout(provider)).body.invoice;
      const page = Object.assign(doubles.page(id), { paid: true });
      const genuine = midtransStatus(page);
      const now = Math.floor(gateway.clock.now() / 1000);
      const signed = (at: number) => {
        const payload = JSON.stringify({
          id: 'evt_1',
          object: 'event',
          type: 'checkout.session.completed',
          data: { object: { client_reference_id: id } },
        });
        return [payload, stripeSignature(payload, at)] as const;
      };
      const [old, oldSignature] = signed(now - 301);
      const [future, futureSignature] = signed(now + 3_600);
      const forged: readonly (readonly [unknown, Record<string, string>])[] = {
        midtrans: [
          [{ ...genuine, gross_amount: '1.00' }, {}],
          [{ ...genuine, signature_key: 'f'.repeat(128) }, {}],
          [{}, {}],
        ] as const,
        xendit: [
          [{ data: { reference_id: id } }, {}],
          [{ external_id: id, status: 'PAID' }, { 'x-callback-token': `${TOKEN}x` }],
        ] as const,
        stripe: [
          [old, { 'stripe-signature': oldSignature }],
          [future, { 'stripe-signature': futureSignature }],
          [`${future} `, { 'stripe-signature': signed(now)[1] }],
          [future, { 'stripe-signature': signed(now)[1].replace('v1', 'v0') }],
        ] as const,
      }[provider];
      for (const [body, headers] of forged) {
        const { status, body: told } = await gateway.during(gateway.api('POST', `/hooks/payments/${provider}`, body, headers));
        assert.deepEqual([status, told.code], [401, 'BAD_SIGNATURE']);
      }
      assert.deepEqual([await plan(), doubles.asked], ['free', 0]);
    });

    it(`records a partial refund by ${provider}, and ends the plan only on a full refund`, async (t) => {
      const { checkout, hook, doubles, plan, invoice, gateway } = await aProviderTill(t, kind);
      const { id } = (await checkout(provider)).body.invoice;
      const page = Object.assign(doubles.page(id), { paid: true });
      await hook(provider, page);
      page.refunded = 1_000;
      assert.deepEqual((await hook(provider, page, REFUND[provider](page))).body, { ok: true });
      assert.deepEqual([await plan(), (await invoice(id)).status], ['pro', 'paid']);
      page.refunded = PRICES[provider];
      for (const _ of [1, 2]) await hook(provider, page, REFUND[provider](page));
      assert.deepEqual([await plan(), (await invoice(id)).status], ['free', 'refunded']);
      const { refunded } =
        (await gateway.store.collection<InvoiceRow>({ name: 'invoices', indexes: [] }).findOne({ _id: id }))?.payments[0] ?? {};
      assert.equal(refunded, PRICES[provider]);
    });

    it(`accepts a late payment through ${provider}, or credits it if the invoice was replaced`, async (t) => {
      const { checkout, hook, doubles, plan, invoice, gateway, later, billing } = await aProviderTill(t, kind);
      const other = provider === 'xendit' ? 'midtrans' : 'xendit';
      const { id } = (await checkout(provider)).body.invoice;
      await later(3 * DAY);
      await gateway.until('it expired', async () => (await invoice(id)).status === 'expired');
      const page = Object.assign(doubles.page(id), { paid: true });
      assert.deepEqual((await hook(provider, page)).body, { ok: true });
      assert.deepEqual([await plan(), (await invoice(id)).status], ['pro', 'paid']);

      const replaced = (await checkout(provider, 'business')).body.invoice;
      const kept = (await checkout(other, 'business')).body.invoice;
      const before = (await billing()).period_end;
      for (const [of, { id: paid }] of [
        [other, kept],
        [provider, replaced],
        [provider, replaced],
      ] as const)
        assert.deepEqual((await hook(of, Object.assign(doubles.page(paid), { paid: true }))).body, { ok: true });
      assert.deepEqual([await plan(), (await invoice(kept.id)).status, (await invoice(replaced.id)).status], ['business', 'paid', 'void']);
      const { credit, period_end } = await billing();
      // The days of the former plan were a line of both: what was paid in the other currency is credit.
      const unused =
        replaced.currency === kept.currency ? 0 : -replaced.lines.find((line: { kind: string }) => line.kind === 'credit').amount;
      assert.deepEqual(credit, { amount: replaced.amount + unused, currency: replaced.currency });
      assert.ok(period_end >= before);
    });
  }

  it('verifies a callback for an older Xendit invoice like any other callback', async (t) => {
    const { checkout, doubles, plan, gateway } = await aProviderTill(t, kind);
    const { id } = (await checkout('xendit')).body.invoice;
    const page = doubles.page(id);
    const post = () =>
      gateway.during(gateway.api('POST', '/hooks/payments/xendit', xenditInvoice({ ...page, paid: true }), { 'x-callback-token': TOKEN }));
    assert.deepEqual((await post()).body, { ok: false, status: 'ACTIVE' });
    assert.equal(await plan(), 'free');
    page.paid = true;
    assert.deepEqual((await post()).body, { ok: true });
    assert.equal(await plan(), 'pro');
  });

  it('ignores a Midtrans fee paid by the customer', async (t) => {
    const { checkout, hook, doubles, plan } = await aProviderTill(t, kind);
    const { id } = (await checkout('midtrans')).body.invoice;
    assert.deepEqual((await hook('midtrans', Object.assign(doubles.page(id), { paid: true, fee: 693 }))).body, { ok: true });
    assert.equal(await plan(), 'pro');
  });

  it('rejects a settlement callback if the provider reports the payment as unpaid', async (t) => {
    const { checkout, hook, doubles, plan } = await aProviderTill(t, kind);
    const { id } = (await checkout('midtrans')).body.invoice;
    const told = await hook('midtrans', doubles.page(id), { transaction_status: 'settlement' });
    assert.deepEqual([told.status, told.body.ok, await plan()], [200, false, 'free']);
  });

  it('reports a dispute to the operator, keeps the plan, and restores the invoice if the dispute is won', async (t) => {
    const { checkout, hook, doubles, plan, invoice, gateway } = await aProviderTill(t, kind);
    const { id } = (await checkout('stripe')).body.invoice;
    const page = Object.assign(doubles.page(id), { paid: true });
    await hook('stripe', page);
    const about = (type: string) => ({ type, data: { object: { id: 'dp_1', payment_intent: `pi_${page.ref}` } } });
    page.disputed = 'needs_response';
    await hook('stripe', page, about('charge.dispute.created'));
    assert.deepEqual([(await invoice(id)).status, await plan()], ['disputed', 'pro']);
    assert.equal((await gateway.operator('GET', '/v1/admin/billing')).body.disputed.length, 1);
    page.disputed = 'won';
    await hook('stripe', page, about('charge.dispute.closed'));
    assert.deepEqual([(await invoice(id)).status, await plan()], ['paid', 'pro']);
  });

  it('ends the plan after a lost dispute or a reported chargeback', async (t) => {
    const { checkout, hook, doubles, plan, billing, invoice, gateway } = await aProviderTill(t, kind);
    const paid = async (provider: Provider) => {
      const { id } = (await checkout(provider)).body.invoice;
      const page = Object.assign(doubles.page(id), { paid: true });
      await hook(provider, page);
      return page;
    };
    const first = await paid('stripe');
    first.disputed = 'lost';
    await hook('stripe', first, { type: 'charge.dispute.closed', data: { object: { id: 'dp_1', payment_intent: `pi_${first.ref}` } } });
    assert.deepEqual([(await invoice(first.ref)).status, await plan()], ['refunded', 'free']);

    const second = await paid('midtrans');
    second.disputed = 'needs_response';
    await hook('midtrans', second);
    const { status, plan: kept } = await billing();
    assert.deepEqual([(await invoice(second.ref)).status, kept, status], ['disputed', 'pro', 'past_due']);
    const refund = () => gateway.during(gateway.operator('POST', `/v1/admin/billing/invoices/${second.ref}/refunded`, { ends: 'now' }));
    const done = await refund();
    assert.deepEqual([done.status, done.body.status, await plan()], [200, 'refunded', 'free']);
    assert.deepEqual([(await refund()).status, (await gateway.operator('GET', '/v1/admin/billing')).body.disputed], [409, []]);
  });

  for (const provider of ['xendit', 'stripe'] as const)
    it(`expires payment pages that were replaced or are no longer needed (${provider})`, async (t) => {
      const { checkout, doubles, tenant, gateway, invoice } = await aProviderTill(t, kind);
      const opens = async (plan: string) => doubles.page((await checkout(provider, plan)).body.invoice.id);
      const replaced = await opens('starter');
      const kept = await opens('pro');
      assert.deepEqual([replaced.expired, kept.expired], [true, false]);
      doubles.fault = 'error';
      assert.equal((await checkout(provider, 'business')).status, 502, 'its failure to end a page is not said, that to make one is');
      assert.deepEqual([kept.expired, (await invoice(kept.ref)).status], [false, 'void']);
      doubles.fault = 'none';
      const paid = Object.assign(await opens('starter'), { paid: true });
      await gateway.during(tenant.api('GET', `/v1/billing/invoices/${paid.ref}`));
      const renewal = await opens('starter');
      assert.equal((await gateway.during(tenant.api('POST', '/v1/billing/cancel'))).status, 200);
      assert.deepEqual([paid.expired, renewal.expired, (await invoice(renewal.ref)).status], [false, true, 'void']);
    });

  it('keeps the invoice if a checkout fails, and completes it on the next call', async (t) => {
    const { checkout, doubles, tenant } = await aProviderTill(t, kind);
    doubles.fault = 'error';
    const failed = await checkout('xendit');
    assert.deepEqual([failed.status, failed.body.code], [502, 'PROVIDER_UNAVAILABLE']);
    doubles.fault = 'none';
    const { invoices } = (await tenant.api('GET', '/v1/billing/invoices')).body;
    const again = await checkout('xendit');
    assert.deepEqual([again.status, again.body.invoice.id], [200, invoices[0].id]);
    assert.match(again.body.payment_url, /^https:/);
  });

  it('has endpoints only for configured providers, and ignores unknown events and invoices', async (t) => {
    const { gateway } = await aProviderTill(t, kind);
    const post = (path: string, body: object) =>
      gateway.during(gateway.api('POST', `/hooks/payments/${path}`, body, { 'x-callback-token': TOKEN }));
    assert.equal((await post('paypal', {})).status, 404);
    assert.equal((await post('sandbox', {})).status, 404);
    assert.deepEqual((await post('xendit', { event: 'payout.done' })).body, { ok: true });
    assert.deepEqual((await post('xendit', { external_id: 'order-1', status: 'PAID' })).body, { ok: true });
    assert.equal((await post('xendit', { external_id: '01JD3X5Z8K9QW2E4R6T8Y0B1N3', status: 'PAID' })).status, 503);
  });
});

it("the payment providers' official clients work against the test doubles", async (t) => {
  const doubles = await providerDoubles(t);
  const { hostname: host, port } = new URL(doubles.url);
  const api = new Stripe('sk_test_EXAMPLE0001', { host, port: Number(port), protocol: 'http' });
  const line = { quantity: 1, price_data: { currency: 'usd', unit_amount: 900, product_data: { name: 'starter' } } };
  const session = await api.checkout.sessions.create({
    mode: 'payment',
    client_reference_id: 'a',
    line_items: [line],
    success_url: 'https://a.example',
  });
  assert.deepEqual([session.payment_status, session.amount_total], ['unpaid', 900]);
  const { Snap } = createRequire(import.meta.url)('midtrans-client') as MidtransClient;
  const snap = new Snap({ isProduction: false, serverKey: SERVER_KEY, clientKey: 'c' });
  snap.apiConfig.getSnapApiBaseUrl = () => `${doubles.url}/snap/v1`;
  const transaction = await snap.createTransaction({
    transaction_details: { order_id: '01JD3X5Z8K9QW2E4R6T8Y0B1N3', gross_amount: 99_000 },
  });
  assert.match(transaction.redirect_url, /^https:/);
});
