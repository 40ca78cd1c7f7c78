import assert from 'node:assert/strict';
import { it } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { secretKeysOf } from '../../runtime/sealing/keys.ts';
import { createSealer } from '../../runtime/sealing/seal.ts';
import type { CollectionSpec } from '../../store/port.ts';
import { HOOKS_PER_MS, storeHooksIn } from '../../store/store-links/hooks.ts';
import { storeLinksIn, storeLinksSpec } from '../../store/store-links/links.ts';
import { storeMemorySpec } from '../../store/store-links/memory.ts';
import { aLog } from '../support/log.ts';
import { aShop, BUYER, SHOPIFY_CHECKOUT, SHOPIFY_ORDER, type Shop } from '../support/online-stores/shop.ts';
import { eachStore } from '../support/stores.ts';

const MINUTE = 60_000;
const REMINDERS = { abandoned_delay_min: 15, templates: { abandoned_checkout: { enabled: true, text: 'Unfinished: {checkout_url}' } } };
const PAID = { ...SHOPIFY_ORDER, financial_status: 'paid' };
const NEXT = { ...SHOPIFY_ORDER, id: 2, phone: '+6281234567891' };
const [OLD_KEY, NEW_KEY] = ['a'.repeat(64), 'b'.repeat(64)];

/** Sealed with the gateway's own key, and damaged since. */
async function damaged({ gateway, id, tenant }: Shop): Promise<string> {
  const link = await storeLinksIn(gateway.store).find(tenant.id, id);
  return `${link?.token.split('.').slice(0, 2).join('.')}.AAAA`;
}

/** An order that arrived and was stored, with this body. */
async function aStoredWebhook({ gateway, id, tenant }: Shop, body: string | null): Promise<void> {
  const now = gateway.clock.now();
  await storeHooksIn(gateway.store).add({
    tenant_id: tenant.id,
    link_id: id,
    no: now * HOOKS_PER_MS,
    topic: 'orders/create',
    body,
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

eachStore('a store with data that cannot be decrypted', (kind) => {
  it('skips a webhook that cannot be decrypted, and announces the next order', async (t) => {
    const shop = await aShop(t, kind);
    await aStoredWebhook(shop, await damaged(shop));
    assert.equal((await shop.call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
    const [, lost] = await shop.events();
    assert.equal(lost?.outcome, 'ignored');
    assert.match(lost?.detail ?? '', /cannot be decrypted/);
    await shop.gateway.until('the order is announced', () => shop.shown().length === 1);
  });

  it('ignores webhooks only for the order whose data cannot be decrypted', async (t) => {
    const shop = await aShop(t, kind);
    await shop.call('orders/create', SHOPIFY_ORDER);
    await loses(shop, storeMemorySpec, { sealed: await damaged(shop) });
    assert.equal((await shop.call('orders/paid', PAID)).body.outcome, 'ignored');
    assert.match((await shop.events())[0]?.detail ?? '', /cannot be decrypted/);
    assert.equal((await shop.call('orders/create', NEXT)).body.outcome, 'sent');
  });

  it('cancels the reminder for a checkout that cannot be decrypted, and still announces the order', async (t) => {
    const shop = await aShop(t, kind);
    await shop.change(REMINDERS);
    await shop.call('checkouts/create', SHOPIFY_CHECKOUT);
    await loses(shop, storeMemorySpec, { sealed: await damaged(shop) });
    assert.equal((await shop.call('checkouts/update', SHOPIFY_CHECKOUT)).body.outcome, 'duplicate');
    await shop.gateway.clock.advance(20 * MINUTE);
    assert.deepEqual(shop.shown(), []);
    assert.equal((await shop.call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
    assert.equal((await shop.call('checkouts/update', SHOPIFY_CHECKOUT)).body.outcome, 'ignored');
  });

  it('cancels pending reminders if a webhook that cannot be decrypted may report the purchase', async (t) => {
    const shop = await aShop(t, kind);
    await shop.change(REMINDERS);
    await shop.call('checkouts/create', SHOPIFY_CHECKOUT);
    await aStoredWebhook(shop, await damaged(shop));
    await shop.gateway.clock.advance(20 * MINUTE);
    assert.deepEqual(shop.shown(), []);
    const later = { ...SHOPIFY_CHECKOUT, id: 3, token: 'three', phone: '+6281234567892' };
    shop.gateway.clock.jump(25 * 60 * MINUTE);
    assert.equal((await shop.call('checkouts/create', later)).body.outcome, 'scheduled');
    await shop.gateway.clock.advance(20 * MINUTE);
    assert.equal(shop.shown('6281234567892').length, 1);
  });

  it('rejects webhooks while its secret cannot be decrypted, until the secret is saved again', async (t) => {
    const shop = await aShop(t, kind);
    await loses(shop, storeLinksSpec, { secret: await damaged(shop) });
    const { status, body } = await shop.call('orders/create', SHOPIFY_ORDER);
    assert.deepEqual([status, body.code], [401, 'BAD_SIGNATURE']);
    assert.ok((await shop.record()).last_error);
    await shop.change({ secret: 'shopify-signing-secret-0001' });
    assert.equal((await shop.call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
  });

  it('processes all of its stored webhooks after a restart, even if no new webhook arrives', async (t) => {
    const shop = await aShop(t, kind);
    for (let nth = 0; nth < 20; nth += 1) await aStoredWebhook(shop, null);
    const again = await shop.restarted();
    await again.gateway.until('all are handled', async () => (await again.events()).length === 20);
  });

  it('is listed without its webhook address, and with an explanation', async (t) => {
    const shop = await aShop(t, kind);
    await loses(shop, storeLinksSpec, { token: await damaged(shop) });
    const { webhook_url, health } = await shop.record();
    assert.deepEqual([webhook_url, health.state], [null, 'failing']);
    assert.match(health.reasons.join(), /kunci|key/);
    assert.equal((await shop.call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
    assert.equal((await shop.change({ name: 'Toko Baru' })).body.integration.webhook_url, null);
  });
});

eachStore('an export for a person with a purchase that cannot be decrypted', (kind) => {
  it('completes, lists the purchase without details, and logs the problem once', async (t) => {
    const { log, lines } = aLog();
    const shop = await aShop(t, kind, 'platform_a', {}, log);
    await shop.call('orders/create', SHOPIFY_ORDER);
    await shop.call('orders/create', { ...SHOPIFY_ORDER, id: 2 });
    const memory = shop.gateway.store.collection<{ _id: string; sealed: string }>(storeMemorySpec);
    await memory.updateOne({ _id: `${shop.id}/order/2` }, { $set: { sealed: await damaged(shop) } });

    const { api, tokens } = shop.tenant;
    const path = `/v1/privacy/exports/${(await api('POST', '/v1/privacy/exports', { phone: `+${BUYER}` })).body.id}`;
    const ended = await shop.gateway.until('it is over', async () => {
      const { status } = (await api('GET', path)).body;
      return status !== 'queued' && status !== 'running' && status;
    });
    assert.equal(ended, 'done');
    const answer = await fetch(`${shop.gateway.node.url}${path}/download`, { headers: { authorization: `Bearer ${tokens.token}` } });
    const { 'purchases.json': purchases = assert.fail('there are none') } = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    const read: readonly { kind: string; known: { phone: string } | null }[] = JSON.parse(strFromU8(purchases));
    const orders = read.filter(({ kind: of }) => of === 'order');
    assert.deepEqual(orders.map(({ known }) => known?.phone ?? null).sort(), [BUYER, null]);
    assert.deepEqual(
      lines('store_link.unreadable').map(({ tenant, count }) => [tenant, count]),
      [[shop.tenant.id, 1]],
    );
  });
});

eachStore('a webhook encrypted with a key that the node does not have yet', (kind) => {
  const sealed = (shop: Shop, order: object): string => {
    const raw = JSON.stringify({ ...order, created_at: new Date(shop.gateway.clock.now()).toISOString() });
    return createSealer(secretKeysOf(NEW_KEY, [], '')).seal(shop.id, 'store webhook', raw);
  };

  it('waits for the key, and delays later webhooks', async (t) => {
    const before: string[] = [];
    const shop = await aShop(t, kind, 'platform_a', { secrets_key: OLD_KEY, secrets_keys_before: before });
    await aStoredWebhook(shop, sealed(shop, SHOPIFY_ORDER));
    assert.deepEqual((await shop.call('orders/create', NEXT)).body, { ok: true });
    await shop.gateway.clock.advance(5 * MINUTE);
    assert.deepEqual(await shop.events(), []);
    before.push(NEW_KEY);
    const again = await shop.restarted();
    await again.gateway.until('both are handled', async () => (await again.events()).length === 2);
    assert.deepEqual(
      (await again.events()).map(({ outcome }) => outcome),
      ['sent', 'sent'],
    );
  });

  it('is skipped after it has waited for fifteen minutes', async (t) => {
    const shop = await aShop(t, kind);
    await aStoredWebhook(shop, sealed(shop, SHOPIFY_ORDER));
    await shop.call('orders/create', NEXT);
    await shop.gateway.clock.advance(14 * MINUTE);
    assert.deepEqual(await shop.events(), []);
    await shop.gateway.clock.advance(2 * MINUTE);
    assert.deepEqual(
      (await shop.events()).map(({ outcome }) => outcome),
      ['sent', 'ignored'],
    );
  });
});
