import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aShop, SHOPIFY_CHECKOUT, SHOPIFY_ORDER, type Shop } from '../support/online-stores/shop.ts';
import { eachStore } from '../support/stores.ts';

const MINUTE = 60_000;
const REMINDERS = { abandoned_delay_min: 15, templates: { abandoned_checkout: { enabled: true, text: 'Unfinished: {checkout_url}' } } };

/** What the owner sees waiting on the device. */
async function waiting({ tenant, device }: Shop): Promise<readonly { body: string; scheduled_at: number }[]> {
  return (await tenant.api('GET', `${device.path}/scheduled?status=pending`)).body.scheduled;
}

const seen = async (shop: Shop): Promise<readonly string[]> => (await shop.events()).map(({ outcome, ref }) => `${outcome} ${ref}`);

/** A store with one checkout whose reminder waits. */
async function aWaitingReminder(shop: Shop, checkout: object = {}): Promise<Shop> {
  const own = await shop.another();
  await own.change(REMINDERS);
  assert.equal((await own.call('checkouts/create', { ...SHOPIFY_CHECKOUT, ...checkout })).body.outcome, 'scheduled');
  return own;
}

/** The ways in which an order is known to be that of a checkout. */
const JOINS: Readonly<Record<string, { readonly checkout?: object; readonly order: object }>> = {
  'the checkout’s id': { order: { checkout_token: null, cart_token: null, phone: '+6281299990000' } },
  'the checkout’s token': { order: { checkout_id: null, cart_token: null, phone: '+6281299990000' } },
  'the cart’s token': { checkout: { cart_token: 'cart' }, order: { checkout_id: null, checkout_token: null, phone: '+6281299990000' } },
  'the number, within a day': { order: { checkout_id: null, checkout_token: null, cart_token: null } },
};

// The rows of the table "Store reminder": none → waiting, waiting → moved, waiting → cancelled, waiting → dropped.
eachStore('the reminder for an unfinished checkout', (kind) => {
  it('is rescheduled by each step of the checkout, and is deleted with its store', async (t) => {
    const shop = await aWaitingReminder(await aShop(t, kind));
    const [first] = await waiting(shop);
    const madeAt = shop.gateway.clock.now();
    assert.ok(first && Math.abs(first.scheduled_at - madeAt - 15 * MINUTE) < MINUTE);
    await shop.gateway.clock.advance(5 * MINUTE);
    const url = 'https://shop.example/c/2';
    assert.equal((await shop.call('checkouts/update', { ...SHOPIFY_CHECKOUT, abandoned_checkout_url: url })).body.outcome, 'rescheduled');
    const moved = await waiting(shop);
    assert.deepEqual(
      moved.map(({ body }) => body),
      [`Unfinished: ${url}`],
    );
    assert.ok((moved[0]?.scheduled_at ?? 0) >= first.scheduled_at + 5 * MINUTE);
    assert.deepEqual(await seen(shop), ['rescheduled 371122', 'scheduled 371122']);
    assert.equal((await shop.tenant.api('DELETE', `/v1/store-integrations/${shop.id}`)).status, 200);
    assert.deepEqual(await waiting(shop), []);
    await shop.gateway.clock.advance(30 * MINUTE);
    assert.deepEqual(shop.shown(), []);
    assert.equal((await shop.call('checkouts/update', SHOPIFY_CHECKOUT)).status, 404);
  });

  it('is cancelled by an order, even if the store is turned off', async (t) => {
    const shop = await aWaitingReminder(await aShop(t, kind));
    await shop.change({ enabled: false });
    assert.equal((await shop.call('orders/create', SHOPIFY_ORDER)).body.outcome, 'off');
    await shop.change({ enabled: true });
    await shop.gateway.clock.advance(30 * MINUTE);
    assert.deepEqual(shop.shown(), []);
    assert.deepEqual(await seen(shop), ['cancelled 371122', 'off #1042', 'scheduled 371122']);
  });

  it('is cancelled by an order however it refers to the checkout, and the cancellation is recorded', async (t) => {
    const shop = await aShop(t, kind);
    for (const [how, { checkout, order }] of Object.entries(JOINS)) {
      const own = await aWaitingReminder(shop, checkout);
      assert.equal((await own.call('orders/create', { ...SHOPIFY_ORDER, ...order })).body.outcome, 'sent', how);
      assert.deepEqual((await seen(own)).toSorted(), ['cancelled 371122', 'scheduled 371122', 'sent #1042'], how);
      assert.equal((await waiting(own)).filter(({ body }) => body.startsWith('Unfinished')).length, 0, how);
      assert.equal((await own.call('checkouts/update', { ...SHOPIFY_CHECKOUT, ...checkout })).body.outcome, 'ignored', how);
      await own.tenant.api('DELETE', `/v1/store-integrations/${own.id}`);
    }
    await shop.gateway.clock.advance(30 * MINUTE);
    assert.ok(shop.shown().every((line) => !line.startsWith('Unfinished')));
  });
});
