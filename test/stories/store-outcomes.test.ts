import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aShop, BUYER, SHOPIFY_CHECKOUT, SHOPIFY_ORDER, type Shop, WOO_ORDER } from '../support/online-stores/shop.ts';
import { refusing } from '../support/refusing-store.ts';
import { eachStore } from '../support/stores.ts';

const MINUTE = 60_000;
const PARCEL = { id: 1, order_id: SHOPIFY_ORDER.id, name: '#1042.1', status: 'success' };
const OTHER = { ...SHOPIFY_CHECKOUT, id: 2, token: 'two' };
const REMINDERS = { abandoned_delay_min: 15, templates: { abandoned_checkout: { enabled: true, text: 'Unfinished: {checkout_url}' } } };

/** One row of the table of outcomes: what is said before, then the webhook that it is about. */
interface OutcomeRow {
  readonly title: string;
  readonly outcome: string;
  readonly change?: object;
  readonly before?: readonly (readonly [topic: string, body: object])[];
  readonly topic: string;
  readonly body: object;
}

const SHOPIFY: readonly OutcomeRow[] = [
  { title: 'a new order', outcome: 'sent', topic: 'orders/create', body: SHOPIFY_ORDER },
  {
    title: 'a paid order that was never seen',
    outcome: 'sent',
    topic: 'orders/paid',
    body: { ...SHOPIFY_ORDER, financial_status: 'paid' },
  },
  {
    title: 'a parcel without a number',
    outcome: 'scheduled',
    before: [['orders/create', SHOPIFY_ORDER]],
    topic: 'fulfillments/create',
    body: PARCEL,
  },
  { title: 'an unfinished checkout', outcome: 'scheduled', change: REMINDERS, topic: 'checkouts/create', body: SHOPIFY_CHECKOUT },
  {
    title: 'its next step',
    outcome: 'rescheduled',
    change: REMINDERS,
    before: [['checkouts/create', SHOPIFY_CHECKOUT]],
    topic: 'checkouts/update',
    body: SHOPIFY_CHECKOUT,
  },
  {
    title: 'a deleted checkout whose reminder waited',
    outcome: 'cancelled',
    change: REMINDERS,
    before: [['checkouts/create', SHOPIFY_CHECKOUT]],
    topic: 'checkouts/delete',
    body: { id: SHOPIFY_CHECKOUT.id },
  },
  {
    title: 'a cancelled order whose parcel waited for its number',
    outcome: 'cancelled',
    before: [
      ['orders/create', SHOPIFY_ORDER],
      ['fulfillments/create', PARCEL],
    ],
    topic: 'orders/cancelled',
    body: { ...SHOPIFY_ORDER, cancelled_at: '2026-01-01T00:00:00Z' },
  },
  {
    title: 'a cancelled order for which nothing waited',
    outcome: 'ignored',
    before: [['orders/create', SHOPIFY_ORDER]],
    topic: 'orders/cancelled',
    body: { ...SHOPIFY_ORDER, cancelled_at: '2026-01-01T00:00:00Z' },
  },
  {
    title: 'the same order again',
    outcome: 'duplicate',
    before: [['orders/create', SHOPIFY_ORDER]],
    topic: 'orders/create',
    body: SHOPIFY_ORDER,
  },
  {
    title: 'a second checkout of one customer',
    outcome: 'duplicate',
    change: REMINDERS,
    before: [['checkouts/create', SHOPIFY_CHECKOUT]],
    topic: 'checkouts/create',
    body: OTHER,
  },
  {
    title: 'a message that is switched off',
    outcome: 'off',
    change: { templates: { order_created: { enabled: false } } },
    topic: 'orders/create',
    body: SHOPIFY_ORDER,
  },
  { title: 'a store that is switched off', outcome: 'off', change: { enabled: false }, topic: 'orders/create', body: SHOPIFY_ORDER },
  { title: 'a checkout while reminders are off', outcome: 'off', topic: 'checkouts/create', body: SHOPIFY_CHECKOUT },
  { title: 'an order without a number', outcome: 'no_phone', topic: 'orders/create', body: { ...SHOPIFY_ORDER, phone: 'call me' } },
  {
    title: 'a checkout without a number',
    outcome: 'no_phone',
    change: REMINDERS,
    topic: 'checkouts/create',
    body: { ...SHOPIFY_CHECKOUT, phone: null },
  },
  { title: 'a store without a device', outcome: 'no_session', change: { session_id: null }, topic: 'orders/create', body: SHOPIFY_ORDER },
  {
    title: 'a buyer who does not want marketing',
    outcome: 'not_marketing',
    change: { ...REMINDERS, abandoned_only_marketing: true },
    topic: 'checkouts/create',
    body: SHOPIFY_CHECKOUT,
  },
  {
    title: 'a checkout that became an order',
    outcome: 'ignored',
    change: REMINDERS,
    before: [['orders/create', SHOPIFY_ORDER]],
    topic: 'checkouts/update',
    body: SHOPIFY_CHECKOUT,
  },
  { title: 'a topic that is not used', outcome: 'ignored', topic: 'customers/redact', body: { shop_id: 1 } },
  { title: 'a parcel that was cancelled', outcome: 'ignored', topic: 'fulfillments/update', body: { ...PARCEL, status: 'cancelled' } },
  {
    title: 'an order of last week',
    outcome: 'ignored',
    topic: 'orders/create',
    body: { ...SHOPIFY_ORDER, created_at: '2025-12-20T00:00:00Z' },
  },
];

const SHIPPED = { ...WOO_ORDER, status: 'completed' };
const WOO: readonly OutcomeRow[] = [
  { title: 'a new order', outcome: 'sent', topic: 'order.created', body: WOO_ORDER },
  {
    title: 'a payment',
    outcome: 'sent',
    before: [['order.created', { ...WOO_ORDER, status: 'on-hold', payment_method: 'bacs' }]],
    topic: 'order.updated',
    body: { ...WOO_ORDER, payment_method: 'bacs', date_paid: '2026-01-01T00:00:00' },
  },
  {
    title: 'cash on delivery that is to be paid',
    outcome: 'duplicate',
    before: [['order.created', WOO_ORDER]],
    topic: 'order.updated',
    body: WOO_ORDER,
  },
  {
    title: 'a parcel without a number',
    outcome: 'scheduled',
    before: [['order.created', WOO_ORDER]],
    topic: 'order.updated',
    body: SHIPPED,
  },
  {
    title: 'a cancelled order whose parcel waited for its number',
    outcome: 'cancelled',
    before: [
      ['order.created', WOO_ORDER],
      ['order.updated', SHIPPED],
    ],
    topic: 'order.updated',
    body: { ...WOO_ORDER, status: 'cancelled' },
  },
  {
    title: 'a message that is switched off',
    outcome: 'off',
    change: { templates: { order_created: { enabled: false } } },
    topic: 'order.created',
    body: WOO_ORDER,
  },
  { title: 'an order without a number', outcome: 'no_phone', topic: 'order.created', body: { ...WOO_ORDER, billing: [] } },
  { title: 'a store without a device', outcome: 'no_session', change: { session_id: null }, topic: 'order.created', body: WOO_ORDER },
  { title: 'a draft of the checkout', outcome: 'ignored', topic: 'order.updated', body: { ...WOO_ORDER, status: 'checkout-draft' } },
  { title: 'a topic that is not used', outcome: 'ignored', topic: 'customer.created', body: { id: 1 } },
  {
    title: 'an order that was cancelled before it was seen',
    outcome: 'ignored',
    topic: 'order.updated',
    body: { ...WOO_ORDER, status: 'cancelled' },
  },
];

/** Each row with a store of its own, connected at the same gateway: what one row said must not touch the next. */
async function plays(shop: Shop, rows: readonly OutcomeRow[]): Promise<void> {
  let own = shop;
  for (const { title, outcome, change, before = [], topic, body } of rows) {
    own = await own.another();
    if (change) assert.equal((await own.change(change)).status, 200, title);
    for (const [earlier, said] of before) await own.call(earlier, said);
    const answer = await own.call(topic, body);
    assert.deepEqual([answer.status, answer.body], [200, { ok: true, outcome }], title);
    const [last] = await own.events();
    assert.deepEqual([last?.topic, last?.outcome], [topic, outcome], title);
    if (outcome === 'ignored') assert.ok(last?.detail, title);
  }
}

eachStore('the outcomes of store webhooks', (kind) => {
  it('are as expected for every webhook from Shopify', async (t) => {
    await plays(await aShop(t, kind), SHOPIFY);
  });

  it('are as expected for every webhook from WooCommerce', async (t) => {
    await plays(await aShop(t, kind, 'platform_b'), WOO);
  });
});

eachStore('the online store of a suspended business', (kind) => {
  for (const platform of ['platform_a', 'platform_b'] as const)
    it(`keeps an order waiting, and sends its message when the suspension ends (${platform})`, async (t) => {
      const { gateway, tenant, call, events, shown, device } = await aShop(t, kind, platform);
      const suspend = (suspended: boolean) => gateway.operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { suspended });
      await suspend(true);
      const [topic, order] = platform === 'platform_a' ? ['orders/create', SHOPIFY_ORDER] : ['order.created', WOO_ORDER];
      assert.deepEqual((await call(topic, order)).body, { ok: true, outcome: 'scheduled' });
      await gateway.clock.advance(10 * MINUTE);
      assert.deepEqual(shown(platform === 'platform_a' ? BUYER : '6281234567890'), []);
      await suspend(false);
      await gateway.until('the device is back', async () => (await device.status()) === 'connected');
      const [event] = await events();
      assert.deepEqual([event?.outcome, event?.detail], ['scheduled', 'waits until the account is no longer suspended']);
      await gateway.until('the order is announced', () => shown().length === 1);
      assert.equal((await call(topic, order)).body.outcome, 'duplicate');
    });
});

eachStore('a reminder', (kind) => {
  it('is sent once, after its delay', async (t) => {
    const { change, call, gateway, shown } = await aShop(t, kind);
    await change(REMINDERS);
    await call('checkouts/create', SHOPIFY_CHECKOUT);
    await gateway.clock.advance(14 * MINUTE);
    assert.deepEqual(shown(), []);
    await gateway.clock.advance(2 * MINUTE);
    assert.equal((await call('checkouts/update', SHOPIFY_CHECKOUT)).body.outcome, 'duplicate');
    await gateway.clock.advance(17 * MINUTE);
    assert.deepEqual(shown(), ['Unfinished: https://shop.example/c/1']);
  });

  it('is cancelled by an order, even if it is waiting for an offline device', async (t) => {
    const { change, call, gateway, shown, device, tenant, events } = await aShop(t, kind);
    await change(REMINDERS);
    await call('checkouts/create', SHOPIFY_CHECKOUT);
    await tenant.api('POST', `${device.path}/disconnect`);
    await gateway.clock.advance(16 * MINUTE);
    const [scheduled] = (await tenant.api('GET', `${device.path}/scheduled`)).body.scheduled;
    assert.equal(scheduled.status, 'sending');
    assert.equal((await call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
    await tenant.api('POST', `${device.path}/connect`);
    await gateway.until('the order is announced', () => shown().length > 0);
    await gateway.clock.advance(MINUTE);
    assert.deepEqual(
      shown().map((line) => line.slice(0, 9)),
      ['Halo Sari'],
    );
    assert.equal((await events()).at(-1)?.outcome, 'scheduled');
  });

  it('is delayed while an unprocessed webhook may contain the purchase', async (t) => {
    let isDown = false;
    const { change, call, gateway, shown } = await aShop(
      t,
      refusing(kind, ['store_memory'], () => isDown),
    );
    await change(REMINDERS);
    await call('checkouts/create', SHOPIFY_CHECKOUT);
    await gateway.clock.advance(14 * MINUTE);
    isDown = true;
    assert.deepEqual((await call('orders/create', SHOPIFY_ORDER)).body, { ok: true });
    await gateway.clock.advance(2 * MINUTE);
    assert.deepEqual(shown(), []);
    isDown = false;
    await gateway.clock.advance(MINUTE);
    assert.deepEqual(
      shown().map((line) => line.slice(0, 9)),
      ['Halo Sari'],
    );
  });

  it('is not sent to opted-out people', async (t) => {
    const { change, call, gateway, shown, tenant } = await aShop(t, kind);
    await change(REMINDERS);
    await call('checkouts/create', SHOPIFY_CHECKOUT);
    await tenant.api('PUT', `/v1/consent/${BUYER}`, { status: 'opted_out' });
    await gateway.clock.advance(16 * MINUTE);
    assert.deepEqual(shown(), []);
  });

  it('is recorded as opted_out if the buyer opted out before the checkout', async (t) => {
    const { change, call, gateway, shown, tenant } = await aShop(t, kind);
    await change(REMINDERS);
    await tenant.api('PUT', `/v1/consent/${BUYER}`, { status: 'opted_out' });
    assert.equal((await call('checkouts/create', SHOPIFY_CHECKOUT)).body.outcome, 'opted_out');
    await gateway.clock.advance(16 * MINUTE);
    assert.deepEqual(shown(), []);
  });

  it('is delayed until the send window opens', async (t) => {
    const { change, call, gateway, shown, tenant } = await aShop(t, kind);
    const hours = new Date(gateway.clock.now() + 30 * MINUTE).toISOString().slice(11, 16);
    await change(REMINDERS);
    await tenant.api('PUT', '/v1/profile', { timezone: 'UTC' });
    const window = { enabled: true, start: hours, end: '23:00', days: [0, 1, 2, 3, 4, 5, 6], zone: 'business' };
    assert.equal((await tenant.api('PUT', '/v1/settings', { send_window: window })).status, 200);
    await call('checkouts/create', SHOPIFY_CHECKOUT);
    await gateway.clock.advance(25 * MINUTE);
    assert.deepEqual(shown(), []);
    await gateway.clock.advance(15 * MINUTE);
    assert.equal(shown().length, 1);
  });

  it('is dropped if reminders or the store are turned off', async (t) => {
    for (const off of [{ templates: { abandoned_checkout: { enabled: false } } }, { enabled: false }]) {
      const { change, call, gateway, shown } = await aShop(t, kind);
      await change(REMINDERS);
      await call('checkouts/create', SHOPIFY_CHECKOUT);
      await change(off);
      await gateway.clock.advance(16 * MINUTE);
      assert.deepEqual(shown(), []);
    }
  });
});
