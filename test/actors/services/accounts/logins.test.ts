import assert from 'node:assert/strict';
import { hkdfSync } from 'node:crypto';
import { it } from 'node:test';
import { SignJWT } from 'jose';
import { createTokens } from '../../../../http/auth/tokens.ts';
import { type Fixture, JWT_SECRET } from '../../../support/accounts-harness.ts';
import { story } from './account-fixture.ts';

const hour = 3_600_000;
const day = 24 * hour;

const me = ({ call }: Fixture, token: string) => call('GET', '/v1/me', { token });
const refresh = ({ call }: Fixture, refresh_token: string) => call('POST', '/auth/refresh', { body: { refresh_token } });

story('a login', (fixture) => {
  it('identifies the caller', async () => {
    const { signUp } = fixture();
    const { token, agent_id } = await signUp();
    const { status, body } = await me(fixture(), token);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      tenant_id: agent_id,
      role: 'admin',
      agent_id,
      agent_name: 'Kopi Senja',
      name: 'Kopi Senja',
      auth: 'login',
      scopes: null,
      sessions: null,
    });
  });

  it('has an access token that expires after two hours', async () => {
    const { signUp, clock } = fixture();
    const { token } = await signUp();
    await clock.advance(2 * hour - 1_000);
    assert.equal((await me(fixture(), token)).status, 200);
    await clock.advance(1_000);
    assert.equal((await me(fixture(), token)).status, 401);
  });

  it('is extended by each refresh, which returns a new pair of tokens', async () => {
    const { signUp, clock } = fixture();
    let login = await signUp();
    for (let nth = 0; nth < 3; nth += 1) {
      await clock.advance(29 * day);
      const answer = await refresh(fixture(), login.refresh_token);
      assert.equal(answer.status, 200);
      assert.notEqual(answer.body.refresh_token, login.refresh_token);
      assert.equal((await me(fixture(), answer.body.token)).status, 200);
      login = answer.body;
    }
  });

  it('expires after thirty days without a refresh', async () => {
    const { signUp, clock } = fixture();
    const { refresh_token } = await signUp();
    await clock.advance(30 * day);
    assert.equal((await refresh(fixture(), refresh_token)).status, 401);
  });

  it('ends when a refresh token is reused', async () => {
    const { signUp, clock } = fixture();
    const stolen = await signUp();
    const next = (await refresh(fixture(), stolen.refresh_token)).body;
    assert.equal((await me(fixture(), next.token)).status, 200);

    // Sooner it may be another tab of the same browser.
    await clock.advance(31_000);
    const reused = await refresh(fixture(), stolen.refresh_token);
    assert.deepEqual([reused.status, reused.body.code], [401, 'UNAUTHORIZED']);
    assert.equal((await refresh(fixture(), next.refresh_token)).status, 401);
    assert.equal((await me(fixture(), next.token)).status, 401);
    assert.equal((await me(fixture(), stolen.token)).status, 401);
  });

  it('keeps its refresh token valid while the business is suspended', async () => {
    const { signUp, services, clock } = fixture();
    const { refresh_token, agent_id } = await signUp();
    const suspend = (suspended: boolean) => services.tenants.govern(agent_id, { suspended }, clock.now());
    await suspend(true);
    assert.equal((await refresh(fixture(), refresh_token)).status, 403);
    await clock.advance(hour);
    assert.equal((await refresh(fixture(), refresh_token)).status, 403);
    await suspend(false);
    assert.equal((await refresh(fixture(), refresh_token)).status, 200);
  });

  it('is refreshed by exactly one of several concurrent calls', async () => {
    const { signUp } = fixture();
    const { refresh_token } = await signUp();
    const answers = await Promise.all([1, 2, 3].map(() => refresh(fixture(), refresh_token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
  });

  it('survives attempts to guess its refresh token', async () => {
    const { signUp } = fixture();
    const { token, refresh_token } = await signUp();
    const [family, random, mark] = refresh_token.split('.');
    const invented = [
      `${family}.${'A'.repeat(32)}.${mark}`,
      `${family}.${random}.${'A'.repeat(22)}`,
      `${family}.${random}`,
      'x'.repeat(40),
    ];
    for (const text of invented) assert.equal((await refresh(fixture(), text)).status, 401, text);
    assert.equal((await refresh(fixture(), 'short')).status, 400);
    assert.equal((await me(fixture(), token)).status, 200);
    assert.equal((await refresh(fixture(), refresh_token)).status, 200);
  });

  it("ends at logout, without affecting the owner's other logins", async () => {
    const { signUp, enter, call, clock } = fixture();
    const here = await signUp();
    await call('POST', '/auth/request-otp', { body: { phone: '+6281234567890' } });
    await clock.advance(1);
    const there = await enter('+6281234567890');

    const answer = await call('POST', '/auth/logout', { token: here.token });
    assert.deepEqual([answer.status, answer.body], [200, { ok: true }]);
    assert.equal((await me(fixture(), here.token)).status, 401);
    assert.equal((await refresh(fixture(), here.refresh_token)).status, 401);
    assert.equal((await me(fixture(), there.token)).status, 200);
  });

  it('never stores its refresh token in plain text', async () => {
    const { signUp, services } = fixture();
    const { refresh_token, agent_id } = await signUp();
    const row = await services.logins.findLive(agent_id, refresh_token.split('.')[0]!, fixture().clock.now());
    assert.match(row?.current ?? '', /^[0-9a-f]{64}$/);
  });
});

story('an access token', (fixture) => {
  it('is rejected if it was forged or changed', async () => {
    const { signUp, clock } = fixture();
    const { token, refresh_token, agent_id } = await signUp();
    const [header, payload, signature] = token.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    const family = refresh_token.split('.')[0]!;
    const claims = { tenantId: agent_id, role: 'admin', agentId: agent_id, family } as const;
    const other = await createTokens('another house').issue(claims, clock.now());
    const plain = await new SignJWT({ tenant: agent_id, role: 'admin', agent: agent_id, family })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('2h')
      .sign(Buffer.from(JWT_SECRET));
    const forged = [
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${Buffer.from('{"tenant":"x"}').toString('base64url')}.${signature}`,
      other,
      plain,
      refresh_token,
      'A'.repeat(43),
      'nonsense',
      `${token}x`,
    ];
    for (const text of forged) assert.equal((await me(fixture(), text)).status, 401, text);
    assert.equal((await me(fixture(), token)).status, 200);
  });

  it('is rejected if its type is wrong, even if it is signed with the right key', async () => {
    const { signUp, services, clock } = fixture();
    const { agent_id, refresh_token } = await signUp();
    const key = Buffer.from(hkdfSync('sha256', JWT_SECRET, '', 'access tokens', 32));
    const right = { alg: 'HS256', typ: 'at+jwt', iss: 'messaging-gateway', aud: 'messaging-gateway/v1', exp: clock.now() / 1000 + 60 };
    const read = ({ alg, typ, iss, aud, exp }: typeof right) =>
      new SignJWT({ tenant: agent_id, role: 'admin', agent: agent_id, family: refresh_token.split('.')[0], iss, aud, exp })
        .setProtectedHeader({ alg, typ })
        .sign(key)
        .then((token) => services.tokens.read(token, clock.now()));
    assert.equal((await read(right))?.tenantId, agent_id);
    for (const wrong of [{ alg: 'HS512' }, { typ: 'JWT' }, { iss: 'another' }, { aud: 'another' }, { exp: clock.now() / 1000 }])
      assert.equal(await read({ ...right, ...wrong }), null, JSON.stringify(wrong));
  });

  it('is rejected if it belongs to a login that never existed', async () => {
    const { signUp, services, clock } = fixture();
    const { agent_id } = await signUp();
    const claims = { tenantId: agent_id, role: 'admin', agentId: agent_id, family: '01J9ZK3V5T8Q4W2N6R7X0Y1ABC' } as const;
    const nobodys = await services.tokens.issue(claims, clock.now());
    assert.equal((await me(fixture(), nobodys)).status, 401);
  });
});
