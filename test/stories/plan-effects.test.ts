import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import { ANSWERS, anAiShop, SARI, TONO } from '../actors/services/ai-reply/ai-fixture.ts';
import type { Api, Gateway, Tenant } from '../support/gateway.ts';
import { aShop, SHOPIFY_ORDER } from '../support/online-stores/shop.ts';
import { eachStore } from '../support/stores.ts';

const WOO = { platform: 'platform_b', name: 'Toko' };
const STORES = '/v1/store-integrations';

async function bought(gateway: Gateway, api: Api, plan: string): Promise<void> {
  const { invoice } = (await gateway.during(api('POST', '/v1/billing/checkout', { plan, provider: 'sandbox' }))).body;
  await gateway.during(gateway.api('POST', `/sandbox/pay/${invoice.id}`, { outcome: 'paid' }));
}

/** At once; by paying for it, it would begin with the next period. */
const downgraded = (gateway: Gateway, { id }: Tenant) =>
  gateway.during(gateway.operator('PATCH', `/v1/admin/tenants/${id}`, { plan: 'free' }));

eachStore('a downgrade', (kind) => {
  const plans = plansFrom({ free: { ai_replies: 1, stores: 1, keys: 1 }, starter: { ai_replies: 3, stores: 3, keys: 2 } });

  it('stops AI replies above the new limit, but keeps the saved answers', async (t) => {
    const { api, gateway, tenant, write, receives, received, settled } = await anAiShop(t, kind, { plans });
    const quota = async () => (await api('GET', '/v1/ai-reply')).body.quota;
    await bought(gateway, api, 'starter');
    write(SARI, 'jam buka toko?');
    await receives(SARI, 1);
    write(SARI, 'can you send it to malaysia?');
    assert.deepEqual(await receives(SARI, 2), [ANSWERS.hours[1], ANSWERS.abroad[1]]);
    assert.deepEqual(await quota(), { used: 2, limit: 3 });

    await downgraded(gateway, tenant);
    write(TONO, 'jam buka toko?');
    await settled();
    assert.deepEqual(received(TONO), []);
    assert.deepEqual(await quota(), { used: 2, limit: 1 });
    const { enabled } = (await api('GET', '/v1/ai-reply')).body;
    const { answers } = (await api('GET', '/v1/ai-reply/answers')).body;
    assert.deepEqual([enabled, answers.length], [true, Object.keys(ANSWERS).length]);
    const tried = await gateway.during(api('POST', '/v1/ai-reply/ask', { question: 'jam buka?' }));
    assert.equal(tried.body.answer, ANSWERS.hours[1], 'the owner may still try it');

    await bought(gateway, api, 'starter');
    write(TONO, 'brp ongkirnya ke surabaya?');
    assert.deepEqual(await receives(TONO, 1), [ANSWERS.shipping[1]]);
    assert.deepEqual(await quota(), { used: 3, limit: 3 });
  });

  it('keeps existing stores and keys working, but rejects new ones above the limit', async (t) => {
    const { gateway, tenant, call, shown, id } = await aShop(t, kind, 'platform_a', { plans });
    const { api } = tenant;
    const refused = async () => {
      const { status, body } = await api('POST', STORES, WOO);
      return [status, body.code, body.error];
    };
    const beyond = (text: string) => [402, 'LIMIT_REACHED', `The plan's limit is reached: ${text}`];
    assert.deepEqual(await refused(), beyond('free has 1 stores; starter has 3'));
    await bought(gateway, api, 'starter');
    for (const _ of [2, 3]) assert.equal((await api('POST', STORES, WOO)).status, 201);
    const keyed = async (name: string) => api('POST', '/v1/api-keys', { name });
    const [one, two] = [(await keyed('one')).body, (await keyed('two')).body];

    await downgraded(gateway, tenant);
    const items = async (): Promise<readonly { id: string; enabled: boolean }[]> => (await api('GET', STORES)).body.items;
    assert.deepEqual(
      (await items()).map(({ enabled }) => enabled),
      [true, true, true],
    );
    assert.equal((await call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
    await gateway.until('the order is announced', () => shown().length === 1);
    const renamed = await api('PUT', `${STORES}/${id}`, { name: 'Toko Lama' });
    assert.equal(renamed.body.integration.name, 'Toko Lama');

    // So it is with keys: both work, and there is no third, nor a second once one is gone.
    for (const { key } of [one, two]) assert.equal((await gateway.as(key)('GET', '/v1/usage')).status, 200);
    assert.deepEqual([(await keyed('three')).status, (await keyed('three')).body.code], [402, 'LIMIT_REACHED']);
    assert.equal((await api('DELETE', `/v1/api-keys/${two.id}`)).status, 200);
    assert.equal((await keyed('three')).status, 402);

    // The first one is disconnected: two are left, where one fits.
    assert.equal((await api('DELETE', `${STORES}/${id}`)).status, 200);
    assert.deepEqual(await refused(), beyond('free has 1 stores; starter has 3'));
    for (const store of await items()) assert.equal((await api('DELETE', `${STORES}/${store.id}`)).status, 200);
    assert.equal((await api('POST', STORES, WOO)).status, 201);
  });
});
