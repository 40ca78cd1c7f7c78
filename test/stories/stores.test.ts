import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { replacingStore } from '../../scripts/faults/replacing-store.ts';
import { HOOKS_PER_MS, hookIdOf, type StoreHookRow, storeHooksSpec } from '../../store/store-links/hooks.ts';
import { storeMemorySpec } from '../../store/store-links/memory.ts';
import { aGateway } from '../support/gateway.ts';
import { aShop, SHOPIFY_CHECKOUT as CHECKOUT, SHOPIFY_ORDER as ORDER } from '../support/online-stores/shop.ts';
import { eachStore, type StoreKind } from '../support/stores.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

eachStore('a connected store', (kind) => {
  it('announces an order, its payment and its shipment once each', async (t) => {
    const { call, shown, gateway, events } = await aShop(t, kind);
    const paid = { ...ORDER, financial_status: 'paid' };
    const parcel = { id: 1, order_id: ORDER.id, name: '#1042.1', status: 'success', tracking_company: 'JNE', tracking_number: 'CGK1' };
    assert.deepEqual((await call('orders/create', ORDER)).body, { ok: true, outcome: 'sent' });
    assert.equal((await call('orders/paid', paid)).body.outcome, 'sent');
    assert.equal((await call('fulfillments/create', parcel)).body.outcome, 'sent');
    for (const [topic, body] of [
      ['orders/create', ORDER],
      ['orders/paid', paid],
      ['fulfillments/update', parcel],
    ] as const)
      assert.equal((await call(topic, body)).body.outcome, 'duplicate');
    await gateway.until('three messages', () => shown().length === 3);
    await gateway.clock.advance(10_000);
    assert.deepEqual(
      shown().map((line) => line.slice(0, 40)),
      ['Halo Sari, terima kasih atas pesanan #10', 'Halo Sari, pembayaran untuk pesanan #104', 'Halo Sari, pesanan #1042 sedang dalam pe'],
    );
    assert.equal((await events()).length, 6);
  });

  it('rejects wrong signatures, and accepts the previous secret for a day', async (t) => {
    const { call, change, gateway } = await aShop(t, kind);
    assert.deepEqual([(await call('orders/create', ORDER, 'somebody else')).status], [401]);
    await change({ secret: 'another-signing-secret-0002' });
    assert.equal((await call('orders/create', ORDER)).status, 200);
    assert.equal((await call('orders/create', ORDER, 'another-signing-secret-0002')).status, 200);
    gateway.clock.jump(25 * HOUR);
    assert.equal((await call('orders/create', ORDER)).body.code, 'BAD_SIGNATURE');
  });

  it('triggers a reminder for an unfinished checkout, but never after the purchase', async (t) => {
    const { call, change, gateway, shown, tenant, device, events } = await aShop(t, kind);
    await change({ abandoned_delay_min: 15, templates: { abandoned_checkout: { enabled: true, text: 'Unfinished: {checkout_url}' } } });
    assert.equal((await call('checkouts/create', CHECKOUT)).body.outcome, 'scheduled');
    assert.equal((await call('checkouts/update', CHECKOUT)).body.outcome, 'rescheduled');
    const { body } = await tenant.api('GET', `${device.path}/scheduled?status=pending`);
    assert.equal(body.scheduled.length, 1);
    await call('orders/create', ORDER);
    assert.equal((await call('checkouts/update', CHECKOUT)).body.outcome, 'ignored');
    await gateway.clock.advance(16 * MINUTE);
    assert.equal(
      shown().some((line) => line.startsWith('Unfinished')),
      false,
    );
    assert.deepEqual((await events()).map(({ outcome }) => outcome).toSorted(), [
      'cancelled',
      'ignored',
      'rescheduled',
      'scheduled',
      'sent',
    ]);
    await call('checkouts/create', { ...CHECKOUT, id: 2, token: 'two', phone: '+6281234567899' });
    await gateway.clock.advance(16 * MINUTE);
    const [reminder] = gateway.sandbox.phone('6281234567899').messages(5);
    assert.equal(reminder?.content.type === 'text' && reminder.content.body, 'Unfinished: https://shop.example/c/1');
  });

  it('has its webhooks processed even if the process crashed after storing them', async (t) => {
    const shop = await aShop(t, kind);
    await shop.call('orders/create', ORDER);
    const again = await shop.restarted();
    assert.equal((await again.call('orders/create', ORDER)).body.outcome, 'duplicate');
    await again.gateway.until('the order is announced', () => again.shown().length === 1);
  });

  it('can send hostile bodies, which are recorded without an error response', async (t) => {
    const { call, events } = await aShop(t, kind);
    const hostile = [
      'not json',
      '[]',
      'null',
      '{"id":{}}',
      '{"id":1,"line_items":{"1":{"name":[]}},"phone":{"a":1}}',
      '{"id":820982911946154508}',
    ];
    for (const body of hostile) {
      const { status, body: answer } = await call('orders/create', body);
      assert.deepEqual([status, answer.ok], [200, true], body);
    }
    assert.equal((await events()).length, hostile.length);
  });

  it('has its reminders dropped when it is disconnected', async (t) => {
    const { call, change, tenant, id, device } = await aShop(t, kind);
    await change({ templates: { abandoned_checkout: { enabled: true } } });
    await call('checkouts/create', CHECKOUT);
    assert.deepEqual((await tenant.api('DELETE', `/v1/store-integrations/${id}`)).body, { ok: true });
    assert.deepEqual((await tenant.api('GET', `${device.path}/scheduled`)).body.scheduled, []);
    assert.equal((await call('checkouts/update', CHECKOUT)).status, 404);
  });

  it('can be disconnected again if the first attempt failed halfway', async (t) => {
    let isDown = false;
    const failing: StoreKind = {
      name: kind.name,
      fresh: async (scope) =>
        replacingStore(await kind.fresh(scope), (name, raw) => ({
          ...(name === storeMemorySpec.name && {
            deleteMany: (...asked) => (isDown ? Promise.reject(new Error('the store is gone')) : raw.deleteMany(...asked)),
          }),
        })),
    };
    const { tenant, id, gateway, change, call } = await aShop(t, failing);
    await change({ templates: { abandoned_checkout: { enabled: true } } });
    await call('checkouts/create', CHECKOUT);
    const remembered = () => gateway.store.collection(storeMemorySpec).countDocuments({});
    const remove = () => tenant.api('DELETE', `/v1/store-integrations/${id}`);
    isDown = true;
    assert.equal((await remove()).status, 500);
    isDown = false;
    assert.equal(await remembered(), 1);
    assert.equal((await call('orders/create', { ...ORDER, id: 2 })).body.outcome, 'off');
    assert.deepEqual((await remove()).body, { ok: true });
    assert.equal(await remembered(), 0);
    assert.equal((await remove()).status, 404);
  });

  it('leaves no webhooks behind that were stored while it was being disconnected', async (t) => {
    const { tenant, id, gateway } = await aShop(t, kind);
    await tenant.api('DELETE', `/v1/store-integrations/${id}`);
    const hooks = gateway.store.collection<StoreHookRow>(storeHooksSpec);
    const now = gateway.clock.now();
    const late = { _id: hookIdOf({ link_id: id, no: now * HOOKS_PER_MS }), tenant_id: tenant.id, link_id: id, no: now * HOOKS_PER_MS };
    await hooks.insertOne({
      ...{ ...late, topic: 'orders/create', body: 'sealed', shop_domain: null, pending: true, ref: null, outcome: null, detail: null },
      ...{ created_at: now, expires_at: now + 86_400_000 },
    });
    await gateway.until('it is gone', async () => (await hooks.countDocuments({})) === 0);
  });

  it('cannot have an empty template', async (t) => {
    const { change } = await aShop(t, kind);
    const { status, body } = await change({ templates: { order_paid: { text: ' \n ' } } });
    assert.deepEqual([status, body.code], [400, 'VALIDATION_FAILED']);
  });
});

eachStore('a WooCommerce store', (kind) => {
  it("passes WooCommerce's check of the webhook address, and shows its secret only once", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const made = (await api('POST', '/v1/store-integrations', { platform: 'platform_b', name: 'Toko' })).body;
    assert.match(made.secret, /^[A-Za-z0-9]{40}$/);
    const path = new URL(made.integration.webhook_url).pathname;
    const check = await gateway.api('POST', path, 'webhook_id=3', { 'content-type': 'application/x-www-form-urlencoded' });
    assert.deepEqual([check.status, check.body], [200, { ok: true }]);
    const raw = JSON.stringify({ id: 7, number: '7', status: 'processing', billing: { phone: '0812-3456-7890', country: 'ID' } });
    const signature = createHmac('sha256', made.secret).update(raw).digest('base64');
    const headers = { 'x-wc-webhook-signature': signature, 'x-wc-webhook-topic': 'order.created' };
    assert.equal((await gateway.during(gateway.api('POST', path, raw, headers))).body.outcome, 'no_session');
  });

  it('counts towards the limit of five online stores per business', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api('POST', '/v1/store-integrations', { platform: 'platform_b', name: 'Toko' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 201, 201, 201, 402, 402, 402]);
  });
});
