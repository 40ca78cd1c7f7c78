import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hired } from '../actors/services/agents/agents-fixture.ts';
import { callbackOf, keysFor } from '../support/billing/callbacks.ts';
import { providerDoubles } from '../support/billing/provider-doubles.ts';
import { type Api, aGateway, type Gateway } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

/** Name, devices, messages, sends a minute, the cap of a key, keys, stores, AI replies, price and overage in rupiah and cents. */
const PLANS = [
  ['free', 2, 1_000, 30, 300, 10, 5, 50, 0, 0, null, null],
  ['starter', 5, 10_000, 60, 600, 25, 5, 500, 149_000, 900, null, null],
  ['pro', 20, 100_000, 120, 1_200, 100, 5, 5_000, 499_000, 2_900, 15_000, 100],
  ['business', 100, 1_000_000, 300, 3_000, 500, 5, 50_000, 1_999_000, 11_900, 10_000, 70],
];
const POSTS = ['checkout', 'cancel', 'resume', 'retry-unsent'];

async function ordered(gateway: Gateway, api: Api, plan: string, provider = 'sandbox') {
  return (await gateway.during(api('POST', '/v1/billing/checkout', { plan, provider }))).body.invoice;
}

eachStore('the billing API', (kind) => {
  it('lists plans and providers, requires a common currency, and accepts orders only from the owner', async (t) => {
    const gateway = await aGateway(t, { kind, config: keysFor(await providerDoubles(t)) });
    const { api } = await gateway.signUp();
    const { plans } = (await api('GET', '/v1/billing/plans')).body;
    const shown = plans.map(({ prices, overage, ...plan }: Record<string, { IDR: number; USD: number } | null>) => [
      ...Object.values(plan),
      ...[prices?.IDR, prices?.USD, overage?.IDR ?? null, overage?.USD ?? null],
    ]);
    assert.deepEqual(shown, PLANS);
    assert.deepEqual((await api('GET', '/v1/billing/options')).body, {
      currency: 'IDR',
      providers: [
        { id: 'midtrans', currencies: ['IDR'] },
        { id: 'xendit', currencies: ['IDR'] },
        { id: 'stripe', currencies: ['USD'] },
        { id: 'sandbox', currencies: ['IDR', 'USD'] },
      ],
    });
    const refused = async (order: object) => (({ status, body }) => [status, body.code])(await api('POST', '/v1/billing/checkout', order));
    for (const order of [{ provider: 'stripe' }, { provider: 'midtrans', currency: 'USD' }, { provider: 'stripe', currency: 'IDR' }])
      assert.deepEqual(await refused({ plan: 'pro', ...order }), [400, 'CURRENCY_NOT_SUPPORTED']);

    const invoice = await ordered(gateway, api, 'pro');
    const { key } = (await api('POST', '/v1/api-keys', { name: 'reader' })).body;
    const dewi = await hired(gateway, api, 'Dewi', '6281311110001');
    const paths = ['/v1/billing', '/v1/billing/plans', '/v1/billing/options', '/v1/billing/invoices', `/v1/billing/invoices/${invoice.id}`];
    for (const path of paths) {
      assert.equal((await gateway.as(key)('GET', path)).status, 200, path);
      assert.equal((await dewi.api('GET', path)).status, 403, path);
    }
    for (const post of POSTS)
      for (const caller of [gateway.as(key), dewi.api])
        assert.equal(
          (await caller('POST', `/v1/billing/${post}`, post === 'checkout' ? { plan: 'pro', provider: 'sandbox' } : undefined)).status,
          403,
          post,
        );
    for (const caller of [api, gateway.as(key)]) {
      assert.equal((await caller('GET', '/v1/admin/billing')).status, 401);
      assert.equal((await caller('POST', `/v1/admin/billing/invoices/${invoice.id}/refunded`, {})).status, 401);
    }
  });

  it('queries the provider when the customer returns and when the invoice is read', async (t) => {
    const doubles = await providerDoubles(t);
    const gateway = await aGateway(t, { kind, config: keysFor(doubles) });
    const { api } = await gateway.signUp();
    const plan = async () => (await api('GET', '/v1/billing')).body.plan;
    const first = await ordered(gateway, api, 'starter', 'midtrans');
    const back = async (id: string, told = '') => (await gateway.during(gateway.api('GET', `/billing/return/${id}${told}`))).body;
    assert.match(await back(first.id), /Not paid yet|Belum dibayar/);
    doubles.page(first.id).paid = true;
    // Midtrans says in the address what came of the payment; Midtrans itself is asked.
    const told = '?order_id=1&status_code=202&transaction_status=deny&merchant_id=M1';
    assert.match(await back(first.id, told), /(Paid|Lunas)[\s\S]*INV-\d{4}-000001/);
    assert.equal(await plan(), 'starter');
    const second = await ordered(gateway, api, 'pro', 'xendit');
    doubles.page(second.id).paid = true;
    const read = (await gateway.during(api('GET', `/v1/billing/invoices/${second.id}`))).body;
    assert.deepEqual([read.status, read.number.slice(-6), await plan()], ['paid', '000002', 'pro']);
    assert.equal((await gateway.api('GET', '/billing/return/01JD3X5Z8K9QW2E4R6T8Y0B1N3')).status, 404);

    // Newest first, page by page; what each is made of adds up.
    const one = (await api('GET', '/v1/billing/invoices?limit=1')).body;
    const { next_before: before, next_before_id: id } = one;
    const rest = (await api('GET', `/v1/billing/invoices?limit=1&before=${before}&before_id=${id}`)).body;
    const all = [...one.invoices, ...rest.invoices];
    assert.deepEqual(
      all.map((invoice) => invoice.id),
      [second.id, first.id],
    );
    for (const { lines, amount } of all)
      assert.equal(
        lines.reduce((sum: number, line: { amount: number }) => sum + line.amount, 0),
        amount,
      );
    // The provider calls later, and it is done already.
    const { path, body, headers } = callbackOf('midtrans', doubles.page(first.id), gateway.clock.now());
    assert.deepEqual((await gateway.during(gateway.api('POST', path, body, headers))).body, { ok: true });
    assert.equal(await plan(), 'pro');
  });

  it('keeps a refunded plan until it expires if the operator has configured this', async (t) => {
    const doubles = await providerDoubles(t);
    const gateway = await aGateway(t, { kind, config: { ...keysFor(doubles), billing_refund_ends: 'period_end' } });
    const { api } = await gateway.signUp();
    const { id } = await ordered(gateway, api, 'pro', 'midtrans');
    const page = Object.assign(doubles.page(id), { paid: true });
    const call = async () => {
      const { path, body, headers } = callbackOf('midtrans', page, gateway.clock.now());
      return gateway.during(gateway.api('POST', path, body, headers));
    };
    await call();
    page.refunded = page.amount;
    await call();
    const { plan, cancel_at_period_end } = (await api('GET', '/v1/billing')).body;
    assert.deepEqual([plan, cancel_at_period_end], ['pro', true]);
    assert.equal((await api('GET', `/v1/billing/invoices/${id}`)).body.status, 'refunded');
  });
});
