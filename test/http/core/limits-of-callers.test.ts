import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LimitsInMemory } from '../../../http/limits/limits.ts';
import { ANNA, type Api, aGateway, PHONE } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';

const NOBODY = '01JZX5ZB4T8QKX3N9V7C2M6D1E';

/** What repeated calls are answered with. */
async function answers(count: number, call: () => ReturnType<Api>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < count; nth += 1) statuses.push((await call()).status);
  return statuses;
}

eachStore("a caller's rate limits", (kind) => {
  it('apply to campaigns and bulk work, separately for each key but jointly for all logins', async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory() });
    const { api, tokens } = await gateway.signUp();
    const key = gateway.as((await api('POST', '/v1/api-keys', { name: 'shop' })).body.key);
    for (const caller of [key, api]) {
      const draft = { session_id: NOBODY, name: 'X', message_type: 'text', body: 'Hi' };
      assert.deepEqual(await answers(6, () => caller('POST', '/v1/blasts', draft)), [404, 404, 404, 404, 404, 429]);
      const consent = { phones: [ANNA], status: 'opted_in' };
      assert.deepEqual(await answers(4, () => caller('POST', '/v1/consent/bulk', consent)), [200, 200, 200, 429]);
      const refused = await caller('POST', '/v1/contacts/bulk', { action: 'delete', ids: [NOBODY] });
      assert.deepEqual([refused.status, refused.headers.get('ratelimit-limit'), refused.body.scope], [429, '3', undefined]);
    }
    const again = gateway.as((await gateway.api('POST', '/auth/refresh', { refresh_token: tokens.refresh_token })).body.token);
    assert.equal(
      (await again('POST', '/v1/consent/bulk', { phones: [ANNA], status: 'opted_in' })).status,
      429,
      'another login is the same caller',
    );
    assert.equal((await again('GET', '/v1/me')).status, 200, 'reading is free for logins');
  });

  it('count new messages, but not edits or deletions', async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory() });
    const { api, linked } = await gateway.signUp();
    const { path } = await linked(PHONE);
    const send = () => api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi' });
    assert.deepEqual(new Set(await answers(30, send)), new Set([202]));
    assert.equal((await send()).status, 429);
    assert.equal((await api('PATCH', `${path}/messages/${NOBODY}`, { body: 'Hello' })).status, 404);
    assert.equal((await api('DELETE', `${path}/messages/${NOBODY}`)).status, 404);
  });

  it('count calls to unknown paths too', async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory() });
    const { api } = await gateway.signUp();
    const { key } = (await api('POST', '/v1/api-keys', { name: 'shop', rate_limit_per_minute: 3 })).body;
    const call = () => gateway.as(key)('GET', '/v1/nothing-of-the-kind');
    assert.deepEqual(await answers(4, call), [404, 404, 404, 429]);
    assert.equal((await gateway.api('GET', '/v1/nothing-of-the-kind')).status, 404, 'a stranger gets the same as ever');
    assert.equal((await gateway.as('nobody')('GET', '/v1/nothing-of-the-kind')).status, 404);
  });

  it("are stated in the headers of a rejected call's response", async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory() });
    const { api } = await gateway.signUp();
    /** Makes `nth` calls and returns the status and limit headers of the last one. */
    const refused = async (nth: number, call: () => ReturnType<Api>) => {
      assert.ok(!(await answers(nth - 1, call)).includes(429));
      const { status, headers } = await call();
      assert.equal(headers.get('ratelimit-reset'), headers.get('retry-after'));
      return [status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')];
    };
    const code = () => gateway.api('POST', '/auth/request-otp', { phone: '+6281100009999' });
    assert.deepEqual(await refused(6, code), [429, '5', '0']);
    assert.deepEqual(await refused(21, () => api('POST', '/v1/agents', { name: 'Dewi', phone: '+6281100009999' })), [429, '20', '0']);
    let plan = 'starter';
    const order = () => {
      plan = plan === 'pro' ? 'starter' : 'pro';
      return gateway.during(api('POST', '/v1/billing/checkout', { plan, provider: 'sandbox' }));
    };
    assert.deepEqual(await refused(11, order), [429, '10', '0']);
    const guess = () => gateway.api('GET', '/v1/admin/tenants', undefined, { 'x-admin-secret': 'wrong' });
    assert.deepEqual(await refused(6, guess), [429, '5', '0']);
  });
});
