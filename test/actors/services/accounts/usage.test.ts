import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { aCluster } from '../../../support/cluster.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const PLANS = plansFrom({ free: { messages: 3 }, pro: { messages: 4 } });

/** A tenant whose device is not connected: what it sends waits. */
async function aWebhookFixture(scope: Scope, kind: StoreKind) {
  const gateway = await aGateway(scope, { kind, config: { plans: PLANS } });
  const acme = await gateway.signUp();
  const { id } = (await acme.api('POST', '/v1/sessions', {})).body;
  const path = `/v1/sessions/${id}/messages`;
  return {
    gateway,
    acme,
    path,
    send: async () => (await acme.api('POST', path, { chat_id: ANNA, type: 'text', body: 'hello', connect_only: false })).body,
    usage: async () => (await acme.api('GET', '/v1/usage')).body,
    messages: async () => (await acme.api('GET', '/v1/usage')).body.messages,
    onPlan: (plan: string) => gateway.operator('PATCH', `/v1/admin/tenants/${acme.id}`, { plan }),
  };
}

eachStore('plan usage', (kind) => {
  it("shows the plan's limits and how much of each is used", async (t) => {
    const { gateway, acme, send, usage } = await aWebhookFixture(t, kind);
    await send();
    const whole = {
      plan: 'free',
      period: new Date(gateway.clock.now()).toISOString().slice(0, 7),
      messages: { used: 1, quota: 3, overage: 0 },
      devices: { used: 1, limit: 2 },
      stores: { used: 0, limit: 5 },
      ai_replies: { used: 0, limit: 50 },
      open_drafts: { used: 0, limit: 20 },
      draft_recipients: { used: 0, limit: 50_000 },
      media_bytes: { used: 0, limit: 1_000_000_000 },
      event_readers: [],
      send_per_minute: 30,
      rate_limit_per_minute: 300,
    };
    assert.deepEqual(await usage(), whole);
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'slow', rate_limit_per_minute: 20 })).body;
    assert.deepEqual((await gateway.as(key)('GET', '/v1/usage')).body, { ...whole, rate_limit_per_minute: 20 });
  });

  it("counts only the tenant's own connected stores", async (t) => {
    const { gateway, acme, usage } = await aWebhookFixture(t, kind);
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    for (const { api } of [acme, acme, other])
      assert.equal((await api('POST', '/v1/store-integrations', { platform: 'platform_b', name: 'Toko' })).status, 201);
    assert.deepEqual((await usage()).stores, { used: 2, limit: 5 });
    const [{ id }] = (await acme.api('GET', '/v1/store-integrations')).body.items;
    assert.equal((await acme.api('DELETE', `/v1/store-integrations/${id}`)).status, 200);
    assert.deepEqual((await usage()).stores, { used: 1, limit: 5 });
  });

  it('never exceeds the quota, and decreases when a message is cancelled', async (t) => {
    const { acme, path, send, messages } = await aWebhookFixture(t, kind);
    const first = await send();
    assert.deepEqual([first.status, (await send()).status, (await send()).status], ['queued', 'queued', 'queued']);
    const over = await send();
    assert.equal(over.status, 'failed');
    assert.equal((await acme.api('GET', `${path}/${over.id}`)).body.error, 'quota_exceeded');
    assert.deepEqual(await messages(), { used: 3, quota: 3, overage: 0 });

    assert.equal((await acme.api('POST', `${path}/${first.id}/cancel`)).status, 200);
    assert.equal((await acme.api('POST', `${path}/${first.id}/cancel`)).status, 409);
    assert.equal((await messages()).used, 2, 'given back once');
    assert.equal((await acme.api('POST', `${path}/${over.id}/retry`)).body.status, 'queued');
    assert.equal((await send()).status, 'failed');
    assert.equal((await messages()).used, 3);
  });

  it('reflects a plan change immediately, and shows billed overage', async (t) => {
    const { send, usage, messages, onPlan } = await aWebhookFixture(t, kind);
    for (let n = 0; n < 3; n += 1) await send();
    assert.equal((await send()).status, 'failed');
    await onPlan('pro');
    assert.deepEqual([(await usage()).plan, (await send()).status, (await send()).status], ['pro', 'queued', 'queued']);
    assert.deepEqual(await messages(), { used: 5, quota: 4, overage: 1 });
    await onPlan('free');
    assert.equal((await send()).status, 'failed');
    assert.deepEqual(await messages(), { used: 5, quota: 3, overage: 0 });
  });

  it('is reset each month', async (t) => {
    const { gateway, acme, path, send } = await aWebhookFixture(t, kind);
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'for good' })).body;
    for (let n = 0; n < 4; n += 1) await send();
    gateway.clock.jump(31 * 86_400_000);
    const api = gateway.as(key);
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, 0);
    const next = await api('POST', path, { chat_id: ANNA, type: 'text', body: 'hello', connect_only: false });
    assert.equal(next.body.status, 'queued');
  });

  it('reflects a plan change immediately on every node', async (t) => {
    const cluster = await aCluster(t, kind, { plans: PLANS });
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const tenant = await a.signUp('Acme', `+${PHONE}`);
    const planAt = async (node: typeof a) => (await node.as(tenant.tokens.token)('GET', '/v1/usage')).body.plan;
    assert.deepEqual([await planAt(a), await planAt(b)], ['free', 'free']);
    await a.operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { plan: 'pro' });
    assert.deepEqual([await planAt(a), await planAt(b)], ['pro', 'pro']);
  });
});
