import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replacingStore } from '../../scripts/faults/replacing-store.ts';
import type { Store } from '../../store/port.ts';
import { type Answer, aGateway, type Gateway } from '../support/gateway.ts';
import { appWith, enabled, firstFactor, STEP_MS } from '../support/second-factor.ts';
import { eachStore, type Scope } from '../support/stores.ts';

const finish = (gateway: Gateway, challenge: string, code: string): Promise<Answer> =>
  gateway.api('POST', '/auth/2fa/verify', { challenge, code });

/** A store that rejects changes to logins once a second factor is on, as if the process had stopped there. */
function deadOnceItIsOn(store: Store): Store {
  let isOn = false;
  return replacingStore(store, (collection, raw) => {
    if (collection === 'logins')
      return {
        updateOne: async (...asked) => (isOn ? Promise.reject(new Error('the process has ended')) : raw.updateOne(...asked)),
        updateMany: async (...asked) => (isOn ? Promise.reject(new Error('the process has ended')) : raw.updateMany(...asked)),
      };
    if (collection !== 'second_factors') return {};
    return {
      updateOne: async (...asked) => {
        const answer = await raw.updateOne(...asked);
        isOn ||= 'secret' in (asked[1].$set ?? {});
        return answer;
      },
    };
  });
}

eachStore('two-factor sign-in', (kind) => {
  it('requires a code from the app in addition to the phone, and accepts each code once', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const { app } = await enabled(gateway, tenant.api);
    const { two_factor_required, challenge, role, token } = await firstFactor(gateway, tenant);
    assert.deepEqual([two_factor_required, role, token], [true, 'admin', undefined]);
    const code = app();
    const { status, body } = await finish(gateway, challenge, code);
    assert.equal(status, 200);
    assert.equal((await gateway.as(body.token)('GET', '/v1/me')).status, 200);

    assert.equal((await finish(gateway, challenge, app(1))).status, 401, 'a challenge ends with its login');
    const second = await firstFactor(gateway, tenant);
    assert.equal((await finish(gateway, second.challenge, code)).status, 401, 'a code works once');
    assert.equal((await finish(gateway, second.challenge, app(1))).status, 401, 'none of a step ahead');
    await gateway.clock.advance(STEP_MS);
    assert.equal((await finish(gateway, second.challenge, app())).status, 200);
  });

  it('does not accept the code that was used to enable it, and ends all other logins', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const other = await firstFactor(gateway, tenant);
    const { secret } = (await tenant.api('POST', '/v1/2fa/setup')).body;
    const app = appWith(gateway, secret);
    const code = app();
    assert.equal((await tenant.api('POST', '/v1/2fa/enable', { code: '000000' })).status, 401);
    assert.equal((await tenant.api('POST', '/v1/2fa/enable', { code })).status, 200);
    assert.equal((await tenant.api('GET', '/v1/me')).status, 200);
    assert.equal((await gateway.as(other.token)('GET', '/v1/me')).status, 401);
    assert.equal((await gateway.api('POST', '/auth/refresh', { refresh_token: other.refresh_token })).status, 401);
    const { challenge } = await firstFactor(gateway, tenant);
    assert.equal((await finish(gateway, challenge, code)).status, 401);
    assert.deepEqual((await tenant.api('GET', '/v1/2fa')).body, { enabled: true, recovery_codes_left: 10 });
  });

  it('ends other logins before it is enabled, even if the process crashes in between', async (t) => {
    const fresh = async (scope: Scope) => deadOnceItIsOn(await kind.fresh(scope));
    const gateway = await aGateway(t, { kind: { name: kind.name, fresh } });
    const tenant = await gateway.signUp();
    const other = await firstFactor(gateway, tenant);
    const app = appWith(gateway, (await tenant.api('POST', '/v1/2fa/setup')).body.secret);
    assert.equal((await tenant.api('POST', '/v1/2fa/enable', { code: app() })).status, 500);
    assert.equal((await tenant.api('GET', '/v1/2fa')).body.enabled, true);
    assert.equal((await gateway.api('POST', '/auth/refresh', { refresh_token: other.refresh_token })).status, 401);
    await gateway.clock.advance(STEP_MS);
    const renewed = await tenant.api('POST', '/v1/2fa/recovery-codes', { code: app() });
    assert.equal(renewed.body.recovery_codes.length, 10, 'nobody saw the first ones');
  });

  it('ends a challenge after five wrong codes, even if they are sent concurrently', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const { app } = await enabled(gateway, tenant.api);
    const { challenge } = await firstFactor(gateway, tenant);
    const right = app();
    const wrong = Array.from({ length: 12 }, (_, nth) => String(100_000 + nth)).filter((code) => code !== right);
    const answers = await Promise.all(wrong.map((code) => finish(gateway, challenge, code)));
    assert.ok(answers.every(({ status }) => status === 401));
    assert.equal((await finish(gateway, challenge, right)).status, 401);
    const again = await firstFactor(gateway, tenant);
    assert.equal((await finish(gateway, again.challenge, right)).status, 200, 'a right code that was refused is not spent');
  });

  it('accepts a code only once, even if it is sent several times at once', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const { app, recovery } = await enabled(gateway, tenant.api);
    const challenges = [await firstFactor(gateway, tenant), await firstFactor(gateway, tenant), await firstFactor(gateway, tenant)];
    for (const code of [app(), recovery[0]!]) {
      const answers = await Promise.all(challenges.map(({ challenge }) => finish(gateway, challenge, code)));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401]);
    }
  });

  it('accepts each recovery code once, and replaces the old codes with new ones', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const { app, recovery } = await enabled(gateway, tenant.api);
    assert.equal(new Set(recovery).size, 10);
    const { challenge } = await firstFactor(gateway, tenant);
    const { status, body } = await finish(gateway, challenge, recovery[3]!.toLowerCase().replaceAll('-', ' '));
    assert.equal(status, 200);
    const api = gateway.as(body.token);
    assert.equal((await api('GET', '/v1/2fa')).body.recovery_codes_left, 9);
    const second = await firstFactor(gateway, tenant);
    assert.equal((await finish(gateway, second.challenge, recovery[3]!)).status, 401);
    const fresh = (await api('POST', '/v1/2fa/recovery-codes', { code: app() })).body.recovery_codes;
    assert.equal((await finish(gateway, second.challenge, recovery[4]!)).status, 401);
    assert.equal((await finish(gateway, second.challenge, fresh[0])).status, 200);
    const { entries } = (await api('GET', '/v1/audit?action=two_factor.use_recovery_code')).body;
    assert.equal(entries.length, 2);
  });

  it('requires a code from the last ten minutes for sensitive actions', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    assert.equal((await tenant.api('POST', '/v1/api-keys', { name: 'before' })).status, 201);
    const { app } = await enabled(gateway, tenant.api);
    const { challenge } = await firstFactor(gateway, tenant);
    const api = gateway.as((await finish(gateway, challenge, app())).body.token);
    assert.equal((await api('POST', '/v1/api-keys', { name: 'fresh' })).status, 201, 'the code of the sign-in counts');
    await gateway.clock.advance(11 * 60_000);
    const refused = await api('POST', '/v1/api-keys', { name: 'stale' });
    assert.deepEqual([refused.status, refused.body.code], [403, 'STEP_UP_REQUIRED']);
    assert.equal((await api('GET', '/v1/api-keys')).status, 200);
    assert.equal((await api('POST', '/auth/step-up', { code: '123456' })).status, 401);
    const { token } = (await api('POST', '/auth/step-up', { code: app() })).body;
    const older = await api('POST', '/v1/api-keys', { name: 'with a token from before' });
    assert.deepEqual([older.status, older.body.code], [403, 'STEP_UP_REQUIRED'], 'only the new token is fresh');
    const key = (await gateway.as(token)('POST', '/v1/api-keys', { name: 'again' })).body;
    for (const [method, path] of [
      ['GET', '/v1/2fa'],
      ['POST', '/auth/step-up'],
      ['GET', '/v1/logins'],
    ] as const)
      assert.equal((await gateway.as(key.key)(method, path, method === 'POST' ? { code: '123456' } : undefined)).status, 403, path);
  });

  it('can be disabled with a code, and stays off if its setup is not confirmed in time', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const { secret } = (await tenant.api('POST', '/v1/2fa/setup')).body;
    await gateway.clock.advance(11 * 60_000);
    assert.equal((await tenant.api('POST', '/v1/2fa/enable', { code: appWith(gateway, secret)() })).status, 409);
    const { app } = await enabled(gateway, tenant.api);
    assert.equal((await tenant.api('POST', '/v1/2fa/setup')).status, 409);
    assert.equal((await tenant.api('POST', '/v1/2fa/disable', { code: '000000' })).status, 401);
    assert.equal((await tenant.api('POST', '/v1/2fa/disable', { code: app() })).status, 200);
    assert.ok((await firstFactor(gateway, tenant)).token);
  });

  it('lists all logins, and lets the owner end one of them', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    await gateway.clock.advance(1_000);
    const other = await firstFactor(gateway, tenant);
    const { logins } = (await tenant.api('GET', '/v1/logins')).body;
    assert.deepEqual(
      logins.map(({ current, agent }: { current: boolean; agent: null }) => [current, agent]),
      [
        [false, null],
        [true, null],
      ],
    );
    assert.match(logins[0].address, /127\.0\.0\.1/);
    assert.equal((await tenant.api('DELETE', `/v1/logins/${logins[0].id}`)).status, 200);
    assert.equal((await gateway.as(other.token)('GET', '/v1/me')).status, 401);
    assert.equal((await tenant.api('DELETE', `/v1/logins/${logins[0].id}`)).status, 404);
    assert.equal((await gateway.api('POST', '/auth/refresh', { refresh_token: other.refresh_token })).status, 401);
  });

  it('accepts only one of two concurrent refreshes, and ends the login if an old token is used', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { tokens } = await gateway.signUp();
    const refresh = (refresh_token: string) => gateway.api('POST', '/auth/refresh', { refresh_token });
    const both = await Promise.all([refresh(tokens.refresh_token), refresh(tokens.refresh_token)]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 401]);
    const winner = both.find(({ status }) => status === 200)!.body;
    assert.equal((await gateway.as(winner.token)('GET', '/v1/me')).status, 200);
    await gateway.clock.advance(31_000);
    const next = (await refresh(winner.refresh_token)).body;
    assert.equal((await refresh(tokens.refresh_token)).status, 401, 'older than the one before');
    assert.equal((await gateway.as(next.token)('GET', '/v1/me')).status, 401);
  });
});
