import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, type Api, aGateway, codeOn, type Gateway, PHONE, type Tenant } from '../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const DAY = 86_400_000;

interface Shop {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  billing(): Promise<Answer['body']>;
  checkout(body: object): Promise<Answer>;
  press(invoice: string, outcome?: string): Promise<Answer>;
  /** Buys a plan through the sandbox's page. */
  buy(plan: string): Promise<Answer['body']>;
  /** What the owner's phone shows, newest first. */
  shown(): readonly string[];
  /** The wall clock moves on, and the owner signs in again. */
  later(ms: number): Promise<void>;
  readonly api: Api;
}

async function aShop(scope: Scope, kind: StoreKind): Promise<Shop> {
  return shopOn(await aGateway(scope, { kind }));
}

async function shopOn(gateway: Gateway): Promise<Shop> {
  const tenant = await gateway.signUp();
  let login = tenant.api;
  const api: Api = (...call) => login(...call);
  const checkout = (body: object) => gateway.during(api('POST', '/v1/billing/checkout', { provider: 'sandbox', ...body }));
  const press = (invoice: string, outcome = 'paid') => gateway.during(gateway.api('POST', `/sandbox/pay/${invoice}`, { outcome }));
  return {
    gateway,
    tenant,
    checkout,
    press,
    api,
    billing: async () => (await api('GET', '/v1/billing')).body,
    async later(ms) {
      gateway.clock.jump(ms);
      const { phone } = tenant;
      await gateway.during(gateway.api('POST', '/auth/request-otp', { phone: `+${phone}` }));
      // The clock went past what was due: the owner learns that, too, before or after the code.
      await gateway.clock.advance(61_000);
      const signedIn = await gateway.api('POST', '/auth/verify-otp', { phone: `+${phone}`, code: codeOn(gateway.sandbox, phone) });
      assert.equal(signedIn.status, 200);
      login = gateway.as(signedIn.body.token);
    },
    async buy(plan) {
      const { invoice } = (await checkout({ plan })).body;
      await press(invoice.id);
      return (await api('GET', `/v1/billing/invoices/${invoice.id}`)).body;
    },
    shown: () =>
      gateway.sandbox
        .phone(tenant.phone)
        .messages(50)
        .flatMap(({ content }) => (content.type === 'text' ? [content.body] : [])),
  };
}

eachStore('a paid subscription', (kind) => {
  it('applies the plan and its limits immediately, and creates a numbered invoice and a receipt', async (t) => {
    const { gateway, tenant, billing, checkout, press, shown } = await aShop(t, kind);
    assert.deepEqual((({ plan, status, period_end }) => ({ plan, status, period_end }))(await billing()), {
      plan: 'free',
      status: 'free',
      period_end: null,
    });
    const preview = await checkout({ plan: 'pro', preview: true });
    assert.deepEqual([preview.status, preview.body.invoice.id, preview.body.invoice.amount], [200, null, 499_000]);
    const made = await checkout({ plan: 'pro' });
    assert.equal(made.status, 201);
    assert.match(made.body.payment_url, /\/sandbox\/pay\/[0-9A-Z]{26}$/);
    const again = await checkout({ plan: 'pro' });
    assert.deepEqual([again.status, again.body.invoice.id], [200, made.body.invoice.id]);
    assert.equal((await press(made.body.invoice.id, 'pending')).body.status, 'open');
    assert.equal((await billing()).plan, 'free');
    assert.equal((await press(made.body.invoice.id)).body.status, 'paid');
    const { plan, status, period_end } = await billing();
    assert.deepEqual([plan, status], ['pro', 'active']);
    assert.ok(period_end > gateway.clock.now() + 27 * DAY);
    const usage = (await tenant.api('GET', '/v1/usage')).body;
    assert.deepEqual([usage.plan, usage.devices.limit, usage.send_per_minute], ['pro', 20, 120]);
    const invoice = (await tenant.api('GET', `/v1/billing/invoices/${made.body.invoice.id}`)).body;
    assert.deepEqual([invoice.status, invoice.payment_url, invoice.period_end], ['paid', null, period_end]);
    assert.match(invoice.number, /^INV-\d{4}-000001$/);
    await gateway.until('the receipt comes', () => shown().some((text) => text.includes(invoice.number)));
  });

  it('requires a plan, a provider and a currency that exist', async (t) => {
    const { checkout } = await aShop(t, kind);
    const refused = async (body: object) => (({ status, body: { code } }) => [status, code])(await checkout(body));
    assert.deepEqual(await refused({ plan: 'gold' }), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(await refused({ plan: 'pro', provider: 'stripe' }), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(await refused({ plan: 'pro', currency: 'EUR' }), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(await refused({ plan: 'free' }), [409, 'CONFLICT']);
    const { details } = (await checkout({ plan: 'gold', provider: 'paypal' })).body;
    assert.deepEqual(
      details.map(({ path }: { path: string }) => path),
      ['plan', 'provider'],
    );
  });

  it('costs less if a payment for a replaced invoice left some credit', async (t) => {
    const { billing, checkout, press } = await aShop(t, kind);
    const replaced = (await checkout({ plan: 'starter' })).body.invoice;
    const open = (await checkout({ plan: 'pro' })).body.invoice;
    assert.equal(open.amount, 499_000);
    await press(replaced.id);
    assert.deepEqual((await billing()).credit, { amount: 149_000, currency: 'IDR' });
    const again = await checkout({ plan: 'pro' });
    assert.deepEqual([again.status, again.body.invoice.amount], [201, 350_000]);
    assert.equal((await checkout({ plan: 'pro' })).body.invoice.id, again.body.invoice.id);
  });

  it('gives credit for unused days on an upgrade, and delays a downgrade until the period ends', async (t) => {
    const { gateway, api, later, billing, checkout, buy } = await aShop(t, kind);
    await buy('starter');
    const { period_start, period_end } = await billing();
    await later(10 * DAY + 60_000);
    const { lines, amount } = (await checkout({ plan: 'pro', preview: true })).body.invoice;
    const days = Math.round((period_end - period_start) / DAY);
    const back = Math.round((149_000 * (days - 11)) / days);
    assert.deepEqual([lines.map(({ kind: of }: { kind: string }) => of), amount], [['plan', 'credit'], 499_000 - back]);
    const paid = await buy('pro');
    assert.deepEqual([paid.status, paid.amount, (await billing()).plan], ['paid', 499_000 - back, 'pro']);
    const cheaper = await checkout({ plan: 'starter' });
    assert.deepEqual([cheaper.status, cheaper.body], [200, { invoice: null, payment_url: null }]);
    assert.deepEqual([(await billing()).plan, (await billing()).pending_plan], ['pro', 'starter']);
    assert.equal((await api('POST', '/v1/billing/resume')).body.pending_plan, null);
    assert.equal((await api('POST', '/v1/billing/resume')).status, 409);
    assert.equal((await api('POST', '/v1/billing/cancel')).body.cancel_at_period_end, true);
    const end = (await billing()).period_end;
    // On a slow machine minutes pass while somebody signs in.
    await later(end - gateway.clock.now() - DAY / 2);
    assert.equal((await billing()).plan, 'pro');
    await later(end - gateway.clock.now());
    await gateway.until('the plan is over', async () => (await billing()).plan === 'free');
  });

  it('triggers reminders, allows three days of grace, and then falls back to the free plan', async (t) => {
    const { gateway, billing, buy, shown, later } = await aShop(t, kind);
    await buy('starter');
    const end = (await billing()).period_end;
    const reminders = () => shown().filter((text) => text.includes('/billing/return/') && text.includes('hari lagi'));
    for (const [left, many] of [
      [7, 1],
      [3, 2],
      [1, 3],
    ] as const) {
      await later(end - left * DAY - gateway.clock.now());
      await gateway.until(`reminder ${many}`, () => reminders().length === many);
    }
    await later(end - gateway.clock.now());
    await gateway.until('the grace begins', async () => (await billing()).status === 'grace');
    assert.equal((await billing()).plan, 'starter');
    await later(3 * DAY);
    await gateway.until('the grace is over', async () => (await billing()).plan === 'free');
    assert.equal(reminders().length, 3);
  });

  it("pauses the newest devices above the plan's limit, and resumes them after an upgrade", async (t) => {
    const { gateway, tenant, billing, buy } = await aShop(t, kind);
    await buy('starter');
    const devices = [];
    for (let nth = 1; nth <= 3; nth += 1) {
      devices.push(await tenant.linked(`${PHONE.slice(0, -1)}${nth}`));
      await gateway.clock.advance(1_000);
    }
    await gateway.during(gateway.operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { plan: 'free' }));
    assert.deepEqual((await billing()).paused_devices, [devices[2]?.id]);
    const sessions = async () =>
      (await tenant.api('GET', '/v1/sessions')).body.sessions.map((one: { paused: boolean; status: string }) => one);
    await gateway.until('it is offline', async () => (await sessions())[0].status === 'disconnected');
    assert.equal((await sessions()).length, 3);
    assert.equal((await tenant.api('POST', `${devices[2]?.path}/connect`)).status, 402);
    await buy('starter');
    assert.deepEqual((await billing()).paused_devices, []);
    await gateway.until('it is online again', async () => (await sessions())[0].status === 'connected');
  });
});
