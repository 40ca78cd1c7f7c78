import assert from 'node:assert/strict';
import { it } from 'node:test';
import { storeMemorySpec } from '../../store/store-links/memory.ts';
import { aShop, SHOPIFY_ORDER } from '../support/online-stores/shop.ts';
import { eachStore } from '../support/stores.ts';

const MALAYSIAN = '60123456789';

eachStore('a repeated store webhook', (kind) => {
  it('gets its outcome from the current settings, and triggers only one message', async (t) => {
    const shop = await aShop(t, kind);
    const told = async (order: object = SHOPIFY_ORDER) => (await shop.call('orders/create', order)).body.outcome;
    assert.deepEqual([await told(), await told(), await told()], ['sent', 'duplicate', 'duplicate']);
    await shop.change({ enabled: false });
    assert.equal(await told(), 'off');
    await shop.change({ enabled: true });
    assert.deepEqual([await told(), await told()], ['duplicate', 'duplicate']);
    assert.equal((await shop.call('orders/paid', { ...SHOPIFY_ORDER, financial_status: 'paid' })).body.outcome, 'sent');
    // What is kept of the order goes, as where its buyer is forgotten: nothing that was read before is put back.
    const memory = shop.gateway.store.collection(storeMemorySpec);
    await memory.deleteMany({});
    await shop.change({ enabled: false });
    assert.equal(await told(), 'off');
    assert.equal(await memory.countDocuments({}), 0);
    await shop.change({ enabled: true });
    await told();
    await shop.gateway.until('both are shown', () => shop.shown().length === 2);
    assert.equal((await shop.events()).length, 9);
  });

  it("uses the profile's current country and the store's current device", async (t) => {
    const shop = await aShop(t, kind);
    const told = async (order: object) => (await shop.call('orders/create', { ...SHOPIFY_ORDER, ...order })).body.outcome;
    const local = { phone: '012-345 6789', checkout_id: null, checkout_token: null, cart_token: null };
    await told({ id: 1, ...local });
    assert.equal((await shop.tenant.api('PUT', '/v1/profile', { country: 'MY' })).status, 200);
    assert.equal(await told({ id: 2, ...local }), 'sent');
    await shop.gateway.until('it is shown', () => shop.shown(MALAYSIAN).length === 1);
    assert.equal((await shop.tenant.api('DELETE', `/v1/sessions/${shop.device.id}`)).status, 200);
    assert.equal(await told({ id: 3, ...local }), 'no_session');
  });
});
