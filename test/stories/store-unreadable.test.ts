import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CollectionSpec } from '../../store/port.ts';
import { HOOKS_PER_MS, storeHooksIn } from '../../store/store-links/hooks.ts';
import { storeLinksSpec } from '../../store/store-links/links.ts';
import { storeMemorySpec } from '../../store/store-links/memory.ts';
import { aShop, SHOPIFY_CHECKOUT, SHOPIFY_ORDER, type Shop } from '../support/online-stores/shop.ts';
import { eachStore } from '../support/stores.ts';

const MINUTE = 60_000;
const REMINDERS = { abandoned_delay_min: 15, templates: { abandoned_checkout: { enabled: true, text: 'Unfinished: {checkout_url}' } } };
const PAID = { ...SHOPIFY_ORDER, financial_status: 'paid' };
const NEXT = { ...SHOPIFY_ORDER, id: 2, phone: '+6281234567891' };
/** Sealed with a key that is lost. */
const LOST = 'gcm.lost.AAAA';

/** An order that arrived and was stored, and cannot be opened. */
async function aLostWebhook({ gateway, id, tenant }: Shop): Promise<void> {
  const now = gateway.clock.now();
  await storeHooksIn(gateway.store).add({
    tenant_id: tenant.id,
    link_id: id,
    no: now * HOOKS_PER_MS,
    topic: 'orders/create',
    body: LOST,
    shop_domain: null,
    pending: true,
    ref: null,
    outcome: null,
    detail: null,
    created_at: now,
    expires_at: now + 1e10,
  });
}

/** All that is kept of orders and checkouts is damaged. */
async function loses({ gateway }: Shop, spec: CollectionSpec, set: Readonly<Record<string, unknown>>): Promise<void> {
  await gateway.store.collection<{ _id: string }>(spec).updateMany({}, { $set: set });
}

eachStore('what is kept for a store and cannot be opened any more', (kind) => {
  it('is set aside where it is a webhook, and the next order is announced', async (t) => {
    const shop = await aShop(t, kind);
    await aLostWebhook(shop);
    assert.equal((await shop.call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
    const [, lost] = await shop.events();
    assert.equal(lost?.outcome, 'ignored');
    assert.match(lost?.detail ?? '', /cannot be opened/);
    await shop.gateway.until('the order is announced', () => shop.shown().length === 1);
  });

  it('keeps its order silent, because nobody knows what was said, and no other', async (t) => {
    const shop = await aShop(t, kind);
    await shop.call('orders/create', SHOPIFY_ORDER);
    await loses(shop, storeMemorySpec, { sealed: LOST });
    assert.equal((await shop.call('orders/paid', PAID)).body.outcome, 'ignored');
    assert.match((await shop.events())[0]?.detail ?? '', /cannot be opened/);
    assert.equal((await shop.call('orders/create', NEXT)).body.outcome, 'sent');
  });

  it('reminds nobody of a checkout, and does not keep its order from being announced', async (t) => {
    const shop = await aShop(t, kind);
    await shop.change(REMINDERS);
    await shop.call('checkouts/create', SHOPIFY_CHECKOUT);
    await loses(shop, storeMemorySpec, { sealed: LOST });
    assert.equal((await shop.call('checkouts/update', SHOPIFY_CHECKOUT)).body.outcome, 'duplicate');
    await shop.gateway.clock.advance(20 * MINUTE);
    assert.deepEqual(shop.shown(), []);
    assert.equal((await shop.call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
    assert.equal((await shop.call('checkouts/update', SHOPIFY_CHECKOUT)).body.outcome, 'ignored');
  });

  it('drops the reminders that waited when a webhook was lost: it may have told of the purchase', async (t) => {
    const shop = await aShop(t, kind);
    await shop.change(REMINDERS);
    await shop.call('checkouts/create', SHOPIFY_CHECKOUT);
    await aLostWebhook(shop);
    await shop.gateway.clock.advance(20 * MINUTE);
    assert.deepEqual(shop.shown(), []);
    const later = { ...SHOPIFY_CHECKOUT, id: 3, token: 'three', phone: '+6281234567892' };
    shop.gateway.clock.jump(25 * 60 * MINUTE);
    assert.equal((await shop.call('checkouts/create', later)).body.outcome, 'scheduled');
    await shop.gateway.clock.advance(20 * MINUTE);
    assert.equal(shop.shown('6281234567892').length, 1);
  });

  it('refuses a webhook where it is the secret, until that is saved again', async (t) => {
    const shop = await aShop(t, kind);
    await loses(shop, storeLinksSpec, { secret: LOST });
    const { status, body } = await shop.call('orders/create', SHOPIFY_ORDER);
    assert.deepEqual([status, body.code], [401, 'BAD_SIGNATURE']);
    assert.ok((await shop.record()).last_error);
    await shop.change({ secret: 'shopify-signing-secret-0001' });
    assert.equal((await shop.call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
  });
});
