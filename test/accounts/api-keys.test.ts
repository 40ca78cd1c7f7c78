import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../runtime/ids.ts';
import type { KeyRow } from '../../store/api-keys.ts';
import type { Office } from './office.ts';
import { story } from './story.ts';

const minute = 60_000;

const make = ({ call }: Office, token: string, body: object = { name: 'Web shop' }) => call('POST', '/v1/api-keys', { token, body });
const list = async ({ call }: Office, token: string) => (await call('GET', '/v1/api-keys', { token })).body.api_keys;
const me = ({ call }: Office, token: string, from?: string) => call('GET', '/v1/me', { token, ...(from && { from }) });

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

story('an API key', (office) => {
  it('is 43 characters, shown once, and opens the door', async () => {
    const { token, agent_id } = await office().signUp();
    const { status, body } = await make(office(), token);
    assert.equal(status, 201);
    const { key, ...record } = body;
    assert.match(key, /^[\w-]{43}$/);
    assert.equal(record.prefix, key.slice(0, 8));
    assert.deepEqual(await list(office(), token), [record]);
    assert.ok(!JSON.stringify(await list(office(), token)).includes(key));

    const who = await me(office(), key);
    assert.deepEqual([who.body.auth, who.body.tenant_id, who.body.sessions], ['api_key', agent_id, null]);
  });

  it('starts with all scopes, all devices, any address and 300 calls a minute', async () => {
    const { token } = await office().signUp();
    const { body } = await make(office(), token);
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

  it('is the primary one if it is the first, also when five are made at once', async () => {
    const { token } = await office().signUp();
    const { world, clock } = office();
    const { tenant_id } = (await me(office(), token)).body;
    const fields = { ...EMPTY, tenant_id, created_at: clock.now() };
    const made = await Promise.all([1, 2, 3, 4, 5].map((nth) => world.keys.create({ ...fields, _id: newId(nth), hash: `${nth}` })));
    assert.deepEqual(made.map(({ primary }) => primary).sort(), [false, false, false, false, true]);
    assert.equal((await make(office(), token)).body.primary, false);
  });

  it('can be revoked, and stops at once; the primary one cannot', async () => {
    const { call, signUp } = office();
    const { token } = await signUp();
    const primary = (await make(office(), token)).body;
    const second = (await make(office(), token)).body;
    assert.equal((await me(office(), second.key)).status, 200);

    const refused = await call('DELETE', `/v1/api-keys/${primary.id}`, { token });
    assert.deepEqual([refused.status, refused.body.code], [409, 'CANNOT_REVOKE_PRIMARY']);
    assert.deepEqual((await call('DELETE', `/v1/api-keys/${second.id}`, { token })).body, { ok: true });
    assert.equal((await me(office(), second.key)).status, 401);
    assert.equal((await me(office(), primary.key)).status, 200);
    assert.equal((await list(office(), token))[0].revoked_at, office().clock.now());
    for (const [method, path] of [
      ['PATCH', ''],
      ['POST', '/rotate'],
    ] as const) {
      const dead = await call(method, `/v1/api-keys/${second.id}${path}`, { token, ...(method === 'PATCH' && { body: { name: 'x' } }) });
      assert.deepEqual([dead.status, dead.body.code], [409, 'CONFLICT']);
    }
  });

  it('can be rotated, the primary one too: the old secret stops at once', async () => {
    const { call, signUp } = office();
    const { token } = await signUp();
    const old = (await make(office(), token)).body;
    assert.equal((await me(office(), old.key)).status, 200);
    const { status, body } = await call('POST', `/v1/api-keys/${old.id}/rotate`, { token });
    assert.deepEqual([status, body.id, body.primary, body.prefix], [200, old.id, true, body.key.slice(0, 8)]);
    assert.equal((await me(office(), old.key)).status, 401);
    assert.equal((await me(office(), body.key)).status, 200);
  });

  it('changes only where it is told to', async () => {
    const { call, signUp } = office();
    const { token } = await signUp();
    const { key, ...record } = (await make(office(), token)).body;
    assert.equal((await me(office(), key)).status, 200);
    const { status, body } = await call('PATCH', `/v1/api-keys/${record.id}`, {
      token,
      body: { scopes: ['read'], rate_limit_per_minute: 7 },
    });
    assert.equal(status, 200);
    assert.deepEqual(body, { ...record, scopes: ['read'], rate_limit_per_minute: 7, last_used_at: office().clock.now() });
    assert.equal((await me(office(), key)).headers['ratelimit-limit'], '7');
    const refused = await call('PUT', '/v1/settings', { token: key, body: { warmup: { enabled: true } } });
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
  });

  it('gets no more calls a minute than the plan allows, now and after another plan', async () => {
    const { world, gate, signUp } = office();
    const { token, agent_id } = await signUp();
    const { key, rate_limit_per_minute } = (await make(office(), token, { name: 'Fast', rate_limit_per_minute: 5_000 })).body;
    assert.equal(rate_limit_per_minute, 300);
    assert.equal((await me(office(), key)).headers['ratelimit-limit'], '300');
    await world.tenants.govern(agent_id, { plan: 'business' }, 1);
    gate.invalidate(agent_id);
    assert.equal((await me(office(), key)).headers['ratelimit-limit'], '3000');
    assert.equal((await list(office(), token))[0].rate_limit_per_minute, 3_000);
  });

  it('expires when it was told to', async () => {
    const { clock, signUp } = office();
    const { token } = await signUp();
    const { key } = (await make(office(), token, { name: 'Brief', expires_at: clock.now() + minute })).body;
    await clock.advance(minute - 1);
    assert.equal((await me(office(), key)).status, 200);
    await clock.advance(1);
    assert.equal((await me(office(), key)).status, 401);
  });

  it('works only from its addresses', async () => {
    const { signUp } = office();
    const { token } = await signUp();
    const { key } = (await make(office(), token, { name: 'Office', allowed_ips: ['127.0.0.8/30', '127.0.0.77', '2001:db8::/32'] })).body;
    for (const from of ['127.0.0.9', '127.0.0.11', '127.0.0.77']) assert.equal((await me(office(), key, from)).status, 200, from);
    for (const from of ['127.0.0.1', '127.0.0.12', '127.0.0.78']) {
      const refused = await me(office(), key, from);
      assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'], from);
    }
  });

  it('remembers when it was used last, to the minute', async () => {
    const { clock, signUp } = office();
    const { token } = await signUp();
    const { key } = (await make(office(), token)).body;
    const lastUsed = async () => (await list(office(), token))[0].last_used_at;
    const first = clock.now();
    await me(office(), key);
    await clock.advance(30_000);
    await me(office(), key);
    assert.equal(await lastUsed(), first);
    await clock.advance(30_000);
    await me(office(), key);
    await clock.advance(0);
    assert.equal(await lastUsed(), first + minute);
  });
});
