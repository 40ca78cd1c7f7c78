import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { newId } from '../../../../runtime/ids.ts';
import type { KeyRow } from '../../../../store/accounts/api-keys.ts';
import type { Fixture } from '../../../support/accounts-harness.ts';
import { story } from './account-fixture.ts';

const minute = 60_000;

const make = ({ call }: Fixture, token: string, body: object = { name: 'Web shop' }) => call('POST', '/v1/api-keys', { token, body });
const list = async ({ call }: Fixture, token: string) => (await call('GET', '/v1/api-keys', { token })).body.api_keys;
const me = ({ call }: Fixture, token: string, from?: string) => call('GET', '/v1/me', { token, ...(from && { from }) });

const EMPTY: Omit<KeyRow, '_id' | 'tenant_id' | 'hash' | 'primary' | 'created_at'> = {
  name: 'Web shop',
  prefix: '12345678',
  session_ids: null,
  scopes: ['read'],
  allowed_ips: null,
  rate_limit_per_minute: 300,
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
};

story('an API key', (fixture) => {
  it('has 43 characters, is shown only once, and authenticates requests', async () => {
    const { token, agent_id } = await fixture().signUp();
    const { status, body } = await make(fixture(), token);
    assert.equal(status, 201);
    const { key, ...record } = body;
    assert.match(key, /^[\w-]{43}$/);
    assert.equal(record.prefix, key.slice(0, 8));
    assert.deepEqual(await list(fixture(), token), [record]);
    assert.ok(!JSON.stringify(await list(fixture(), token)).includes(key));

    const who = await me(fixture(), key);
    assert.deepEqual([who.body.auth, who.body.tenant_id, who.body.sessions], ['api_key', agent_id, null]);
  });

  it('allows all scopes, devices and IP addresses, and 300 calls a minute by default', async () => {
    const { token } = await fixture().signUp();
    const { body } = await make(fixture(), token);
    const { session_ids, scopes, allowed_ips, rate_limit_per_minute, expires_at, revoked_at, last_used_at } = body;
    assert.deepEqual(
      { session_ids, scopes, allowed_ips, rate_limit_per_minute, expires_at, revoked_at, last_used_at },
      {
        session_ids: null,
        scopes: ['read', 'send', 'manage'],
        allowed_ips: null,
        rate_limit_per_minute: 300,
        expires_at: null,
        revoked_at: null,
        last_used_at: null,
      },
    );
  });

  it("is primary only if it is the tenant's first, even among five keys created at the same time", async () => {
    const { token } = await fixture().signUp();
    const { services, clock } = fixture();
    const { tenant_id } = (await me(fixture(), token)).body;
    const fields = { ...EMPTY, tenant_id, created_at: clock.now() };
    const row = (nth: number) => ({ ...fields, _id: newId(nth), hash: `${nth}` });
    const made = await Promise.all([1, 2, 3, 4, 5].map((nth) => services.keys.createWithin(row(nth), 10, clock.now())));
    assert.deepEqual(made.map((key) => key?.primary).sort(), [false, false, false, false, true]);
    assert.equal((await make(fixture(), token)).body.primary, false);
  });

  it("cannot be created or renewed once the plan's limit of active keys is reached", async () => {
    const { call, signUp, clock } = fixture();
    const { token } = await signUp();
    const asked = { name: 'Till', expires_at: clock.now() + minute };
    const made = await Promise.all(Array.from({ length: 12 }, () => make(fixture(), token, asked)));
    assert.equal(made.filter(({ status }) => status === 201).length, 10, 'however many are asked for at once');
    const refused = made.find(({ status }) => status !== 201)!;
    assert.deepEqual([refused.status, refused.body.code], [402, 'LIMIT_REACHED']);
    assert.match(refused.body.error, /free has 10 API keys; starter has 25/);
    const [second] = (await list(fixture(), token)).filter(({ primary }: { primary: boolean }) => !primary);
    await call('DELETE', `/v1/api-keys/${second.id}`, { token });
    assert.equal((await make(fixture(), token, asked)).status, 201);
    assert.equal((await make(fixture(), token, asked)).status, 402);
    await clock.advance(2 * minute);
    assert.equal((await make(fixture(), token)).status, 201, 'the others have expired');
    for (let nth = 1; nth < 10; nth += 1) assert.equal((await make(fixture(), token)).status, 201);
    const old = (await list(fixture(), token)).find(({ expires_at }: { expires_at: number | null }) => expires_at !== null);
    const revived = await call('PATCH', `/v1/api-keys/${old.id}`, { token, body: { expires_at: clock.now() + minute } });
    assert.equal(revived.body.code, 'LIMIT_REACHED', 'more time makes it live again');
  });

  it("counts only once towards the plan's limit, even if concurrent requests renew it after it has expired", async () => {
    const { call, signUp, clock } = fixture();
    const { token } = await signUp();
    const old = (await make(fixture(), token, { name: 'Till', expires_at: clock.now() + minute })).body;
    await clock.advance(2 * minute);
    for (let nth = 0; nth < 9; nth += 1) await make(fixture(), token);
    const body = { expires_at: clock.now() + minute };
    const revived = await Promise.all(Array.from({ length: 8 }, () => call('PATCH', `/v1/api-keys/${old.id}`, { token, body })));
    assert.deepEqual(new Set(revived.map(({ status }) => status)), new Set([200]));
    assert.equal((await make(fixture(), token)).status, 402);
  });

  it('stops working as soon as it is revoked, and cannot be revoked if it is primary', async () => {
    const { call, signUp } = fixture();
    const { token } = await signUp();
    const primary = (await make(fixture(), token)).body;
    const second = (await make(fixture(), token)).body;
    assert.equal((await me(fixture(), second.key)).status, 200);

    const refused = await call('DELETE', `/v1/api-keys/${primary.id}`, { token });
    assert.deepEqual([refused.status, refused.body.code], [409, 'CANNOT_REVOKE_PRIMARY']);
    assert.deepEqual((await call('DELETE', `/v1/api-keys/${second.id}`, { token })).body, { ok: true });
    assert.equal((await me(fixture(), second.key)).status, 401);
    assert.equal((await me(fixture(), primary.key)).status, 200);
    assert.equal((await list(fixture(), token))[0].revoked_at, fixture().clock.now());
    for (const [method, path] of [
      ['PATCH', ''],
      ['POST', '/rotate'],
    ] as const) {
      const dead = await call(method, `/v1/api-keys/${second.id}${path}`, { token, ...(method === 'PATCH' && { body: { name: 'x' } }) });
      assert.deepEqual([dead.status, dead.body.code], [409, 'CONFLICT']);
    }
  });

  it('can be rotated, even if it is primary, and its old secret stops working immediately', async () => {
    const { call, signUp } = fixture();
    const { token } = await signUp();
    const old = (await make(fixture(), token)).body;
    assert.equal((await me(fixture(), old.key)).status, 200);
    const { status, body } = await call('POST', `/v1/api-keys/${old.id}/rotate`, { token });
    assert.deepEqual([status, body.id, body.primary, body.prefix], [200, old.id, true, body.key.slice(0, 8)]);
    assert.equal((await me(fixture(), old.key)).status, 401);
    assert.equal((await me(fixture(), body.key)).status, 200);
  });

  it('keeps the fields that an update omits', async () => {
    const { call, signUp } = fixture();
    const { token } = await signUp();
    const { key, ...record } = (await make(fixture(), token)).body;
    assert.equal((await me(fixture(), key)).status, 200);
    const { status, body } = await call('PATCH', `/v1/api-keys/${record.id}`, {
      token,
      body: { scopes: ['read'], rate_limit_per_minute: 7 },
    });
    assert.equal(status, 200);
    assert.deepEqual(body, { ...record, scopes: ['read'], rate_limit_per_minute: 7, last_used_at: fixture().clock.now() });
    assert.equal((await me(fixture(), key)).headers['ratelimit-limit'], '7');
    const refused = await call('PUT', '/v1/settings', { token: key, body: { warmup: { enabled: true } } });
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
  });

  it('can make only as many calls per minute as the current plan allows', async () => {
    const { services, authenticator, signUp } = fixture();
    const { token, agent_id } = await signUp();
    const { key, rate_limit_per_minute } = (await make(fixture(), token, { name: 'Fast', rate_limit_per_minute: 5_000 })).body;
    assert.equal(rate_limit_per_minute, 300);
    assert.equal((await me(fixture(), key)).headers['ratelimit-limit'], '300');
    await services.tenants.setPlan(agent_id, 'business', 1, 1);
    authenticator.invalidate(agent_id);
    assert.equal((await me(fixture(), key)).headers['ratelimit-limit'], '3000');
    assert.equal((await list(fixture(), token))[0].rate_limit_per_minute, 3_000);
  });

  it('expires at the given time', async () => {
    const { clock, signUp } = fixture();
    const { token } = await signUp();
    const { key } = (await make(fixture(), token, { name: 'Brief', expires_at: clock.now() + minute })).body;
    await clock.advance(minute - 1);
    assert.equal((await me(fixture(), key)).status, 200);
    await clock.advance(1);
    assert.equal((await me(fixture(), key)).status, 401);
  });

  it('is accepted only from its allowed IP addresses', async () => {
    const { signUp } = fixture();
    const { token } = await signUp();
    const { key } = (await make(fixture(), token, { name: 'Office', allowed_ips: ['127.0.0.8/30', '127.0.0.77', '2001:db8::/32'] })).body;
    for (const from of ['127.0.0.9', '127.0.0.11', '127.0.0.77']) assert.equal((await me(fixture(), key, from)).status, 200, from);
    for (const from of ['127.0.0.1', '127.0.0.12', '127.0.0.78']) {
      const refused = await me(fixture(), key, from);
      assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'], from);
    }
  });

  it('records to the minute when it was last used', async () => {
    const { clock, signUp } = fixture();
    const { token } = await signUp();
    const { key } = (await make(fixture(), token)).body;
    const lastUsed = async () => (await list(fixture(), token))[0].last_used_at;
    // It is written while the call is answered.
    const isUsedAt = async (at: number) => {
      for (let tries = 0; (await lastUsed()) !== at && tries < 1_000; tries += 1) await setTimeout(5);
      assert.equal(await lastUsed(), at);
    };
    const first = clock.now();
    await me(fixture(), key);
    await isUsedAt(first);
    await clock.advance(30_000);
    await me(fixture(), key);
    assert.equal(await lastUsed(), first);
    await clock.advance(30_000);
    await me(fixture(), key);
    await isUsedAt(first + minute);
  });
});
