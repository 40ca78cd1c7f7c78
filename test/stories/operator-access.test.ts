import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { aGateway, calling, type Gateway } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const STEP_MS = 30_000;
const MINUTE_MS = 60_000;
const ROOT = 'the operator of this story';
const DEWI = 'the secret that dewi has';

/** Minutes in which nothing happens but what each minute brings, at their end: whoever waits for a session to end need not wait for every sweep. */
async function quietMinutes({ clock }: Gateway, minutes: number): Promise<void> {
  clock.jump((minutes - 1) * MINUTE_MS);
  await clock.advance(MINUTE_MS);
}

const app = (gateway: Gateway, secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30, algorithm: 'SHA1' }).generate({ timestamp: gateway.clock.now() });

eachStore('operator access', (kind) => {
  it('requires a session with two-factor, which expires after 8 hours or 30 idle minutes', async (t) => {
    const gateway = await aGateway(t, { kind, config: { admin_secret: ROOT } });
    const { operator, clock } = gateway;
    const { secret } = (await operator('POST', '/v1/admin/2fa/setup')).body;
    const code = app(gateway, secret);
    assert.equal((await operator('POST', '/v1/admin/2fa/enable', { code })).body.recovery_codes.length, 10);
    for (const path of ['/v1/admin/tenants', '/v1/admin/2fa', '/v1/admin/audit'])
      assert.equal((await operator('GET', path)).status, 401, path);
    assert.equal((await operator('POST', '/v1/admin/2fa/verify', { code })).status, 401, 'spent');
    await clock.advance(STEP_MS);
    const { session } = (await operator('POST', '/v1/admin/2fa/verify', { code: app(gateway, secret) })).body;
    const signedIn = calling(gateway.node.url, { 'x-admin-secret': ROOT, 'x-admin-session': session });
    const tenants = async (): Promise<number> => (await signedIn('GET', '/v1/admin/tenants')).status;
    for (let minutes = 0; minutes < 8 * 60 - 25; minutes += 25) {
      assert.equal(await tenants(), 200, `after ${minutes} minutes`);
      await quietMinutes(gateway, 25);
    }
    await quietMinutes(gateway, 25);
    assert.equal(await tenants(), 401, 'after 8 hours');
    const again = (await operator('POST', '/v1/admin/2fa/verify', { code: app(gateway, secret) })).body;
    const quiet = calling(gateway.node.url, { 'x-admin-secret': ROOT, 'x-admin-session': again.session });
    assert.equal((await quiet('GET', '/v1/admin/tenants')).status, 200);
    await quietMinutes(gateway, 31);
    assert.equal((await quiet('GET', '/v1/admin/tenants')).status, 401);
    const last = (await operator('POST', '/v1/admin/2fa/verify', { code: app(gateway, secret) })).body;
    const off = calling(gateway.node.url, { 'x-admin-secret': ROOT, 'x-admin-session': last.session });
    await clock.advance(STEP_MS);
    assert.equal((await off('DELETE', '/v1/admin/2fa', { code: app(gateway, secret) })).status, 200);
    assert.equal((await operator('GET', '/v1/admin/tenants')).status, 200);
    const actions = (await operator('GET', '/v1/admin/audit')).body.entries.map(
      ({ action, result }: Record<string, string>) => `${action} ${result}`,
    );
    for (const wanted of ['operator.enable_2fa ok', 'operator.sign_in ok', 'operator.sign_in refused', 'operator.disable_2fa ok'])
      assert.ok(actions.includes(wanted), `${wanted}: ${actions}`);
  });

  it('records the use of a recovery code in the audit log', async (t) => {
    const gateway = await aGateway(t, { kind, config: { admin_secret: ROOT } });
    const { operator } = gateway;
    const { secret } = (await operator('POST', '/v1/admin/2fa/setup')).body;
    const { recovery_codes } = (await operator('POST', '/v1/admin/2fa/enable', { code: app(gateway, secret) })).body;
    const { session } = (await operator('POST', '/v1/admin/2fa/verify', { code: recovery_codes[0] })).body;
    const signedIn = calling(gateway.node.url, { 'x-admin-secret': ROOT, 'x-admin-session': session });
    const { entries } = (await signedIn('GET', '/v1/admin/audit?action=two_factor.use_recovery_code')).body;
    assert.deepEqual(
      entries.map(({ actor, result }: { actor: { name: string }; result: string }) => [actor.name, result]),
      [['operator', 'ok']],
    );
  });

  it('has a separate session and audit name for each operator', async (t) => {
    const gateway = await aGateway(t, { kind, config: { admin_secret: ROOT, operators: [`dewi:${DEWI}`] } });
    const { id } = await gateway.signUp();
    const dewi = calling(gateway.node.url, { 'x-admin-secret': DEWI });
    await dewi('PATCH', `/v1/admin/tenants/${id}`, { suspended: true });
    await gateway.operator('PATCH', `/v1/admin/tenants/${id}`, { suspended: false });
    const names = (await dewi('GET', '/v1/admin/audit?action=tenant.update')).body.entries.map(
      ({ actor }: { actor: { name: string } }) => actor.name,
    );
    assert.deepEqual(names, ['operator', 'dewi']);
    const { secret } = (await dewi('POST', '/v1/admin/2fa/setup')).body;
    await dewi('POST', '/v1/admin/2fa/enable', { code: app(gateway, secret) });
    await gateway.clock.advance(STEP_MS);
    const { session } = (await dewi('POST', '/v1/admin/2fa/verify', { code: app(gateway, secret) })).body;
    const as = (own: string): Promise<{ status: number }> =>
      calling(gateway.node.url, { 'x-admin-secret': own, 'x-admin-session': session })('GET', '/v1/admin/tenants');
    assert.deepEqual([(await as(DEWI)).status, (await as(ROOT)).status], [200, 401]);
  });

  it('adds only a limited number of audit entries for wrong secrets from changing addresses', async (t) => {
    const gateway = await aGateway(t, { kind, config: { admin_secret: ROOT, trusted_proxies: ['127.0.0.1'] } });
    const { url } = gateway.node;
    const from = (address: string, secret = {}) =>
      calling(url, { 'x-forwarded-for': address, ...secret })('GET', '/v1/admin/tenants').then(({ status }) => status);
    const signIns = async () => (await gateway.operator('GET', '/v1/admin/audit?action=operator.sign_in')).body.entries;
    assert.deepEqual(await Promise.all(['192.0.2.1', '192.0.2.2'].map((address) => from(address))), [401, 401]);
    assert.deepEqual(await signIns(), [], 'who sends no secret tried nothing');
    for (let nth = 1; nth <= 30; nth += 1) await from(`2001:db8:0:${nth}::1`, { 'x-admin-secret': 'a guess' });
    assert.equal((await signIns()).length, 10);
    await gateway.clock.advance(MINUTE_MS);
    await from('2001:db8:1::1', { 'x-admin-secret': 'a guess' });
    assert.deepEqual((await signIns())[0].changes, [{ field: 'refused_before_and_not_listed', from: 0, to: 20 }]);
  });
});
