import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import type { DeviceRow } from '../../../../store/devices/devices.ts';
import { story } from './account-fixture.ts';

const deviceOf = (tenantId: string, _id: string): DeviceRow => ({ ...newDevice(tenantId, null, null, 1), _id });

const mine = '01J9ZK3V5T8Q4W2N6R7X0Y1ABC';
const theirs = '01J9ZK3V5T8Q4W2N6R7X0Y1ABD';

story('key management', (fixture) => {
  it("requires the owner's login and rejects API keys", async () => {
    const { call, signUp } = fixture();
    const { token } = await signUp();
    const { key, id } = (await call('POST', '/v1/api-keys', { token, body: { name: 'Web shop' } })).body;
    const attempts = [
      call('GET', '/v1/api-keys', { token: key }),
      call('POST', '/v1/api-keys', { token: key, body: { name: 'child' } }),
      call('PATCH', `/v1/api-keys/${id}`, { token: key, body: { name: 'me' } }),
      call('DELETE', `/v1/api-keys/${id}`, { token: key }),
      call('POST', `/v1/api-keys/${id}/rotate`, { token: key }),
    ];
    for (const { status, body } of await Promise.all(attempts))
      assert.deepEqual([status, body.code], [403, 'KEY_MANAGEMENT_REQUIRES_LOGIN']);
    assert.equal((await call('POST', '/auth/logout', { token: key })).status, 403);
  });

  it("never shows a tenant's keys to another tenant", async () => {
    const { call, signUp } = fixture();
    const owner = await signUp();
    const other = await signUp('Roti Pagi', '+6281234567899');
    const { id, key } = (await call('POST', '/v1/api-keys', { token: owner.token, body: { name: 'Web shop' } })).body;
    const { token } = other;
    const attempts = [
      call('PATCH', `/v1/api-keys/${id}`, { token, body: { name: 'mine now' } }),
      call('DELETE', `/v1/api-keys/${id}`, { token }),
      call('POST', `/v1/api-keys/${id}/rotate`, { token }),
    ];
    for (const { status, body } of await Promise.all(attempts)) assert.deepEqual([status, body.code], [404, 'NOT_FOUND']);
    assert.deepEqual((await call('GET', '/v1/api-keys', { token })).body, { api_keys: [], next_before: null, next_before_id: null });
    assert.equal((await call('GET', '/v1/me', { token: key })).status, 200);
  });

  it('rejects a key for devices of other tenants, and the error names the device', async () => {
    const { call, signUp, services } = fixture();
    const { token, agent_id } = await signUp();
    await services.devices.create(deviceOf(agent_id, mine));
    await services.devices.create(deviceOf('somebody else', theirs));
    const make = (session_ids: unknown) => call('POST', '/v1/api-keys', { token, body: { name: 'Front desk', session_ids } });

    const refused = await make([mine, theirs]);
    assert.deepEqual([refused.status, refused.body.code], [400, 'VALIDATION_FAILED']);
    assert.match(refused.body.error, new RegExp(`session_ids.*${theirs}`));

    const { key, id } = (await make([mine])).body;
    const whoHoldsIt = (await call('GET', '/v1/me', { token: key })).body;
    assert.deepEqual([whoHoldsIt.sessions, whoHoldsIt.scopes], [[mine], ['read', 'send', 'manage']]);
    assert.equal((await call('GET', '/v1/me', { token })).body.scopes, null);
    const patched = await call('PATCH', `/v1/api-keys/${id}`, { token, body: { session_ids: [theirs] } });
    assert.equal(patched.status, 400);
    assert.equal((await call('PATCH', `/v1/api-keys/${id}`, { token, body: { session_ids: null } })).body.session_ids, null);
    assert.equal((await call('GET', '/v1/me', { token: key })).body.sessions, null);
  });

  const invalid = [
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x', scopes: ['admin'] }, 'scopes'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['read', 'read'] }, 'scopes'],
    [{ name: 'x', session_ids: [] }, 'session_ids'],
    [{ name: 'x', session_ids: ['nonsense'] }, 'session_ids'],
    [{ name: 'x', allowed_ips: ['localhost'] }, 'allowed_ips'],
    [{ name: 'x', allowed_ips: ['10.0.0.0/33'] }, 'allowed_ips'],
    [{ name: 'x', allowed_ips: ['10.0.0.0/8/8'] }, 'allowed_ips'],
    [{ name: 'x', rate_limit_per_minute: 0 }, 'rate_limit_per_minute'],
    [{ name: 'x', rate_limit_per_minute: 1.5 }, 'rate_limit_per_minute'],
    [{ name: 'x', expires_at: 1_000 }, 'expires_at'],
    [{ name: 'x', primary: true }, 'primary'],
  ] as const;
  it('rejects invalid fields, and the error names them', async () => {
    const { call, signUp } = fixture();
    const { token } = await signUp();
    for (const [body, field] of invalid) {
      const answer = await call('POST', '/v1/api-keys', { token, body });
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_FAILED'], JSON.stringify(body));
      assert.match(answer.body.error, new RegExp(field), JSON.stringify(body));
    }
    assert.deepEqual((await call('GET', '/v1/api-keys', { token })).body.api_keys, []);
  });
});
