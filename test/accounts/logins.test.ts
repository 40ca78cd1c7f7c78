import assert from 'node:assert/strict';
import { hkdfSync } from 'node:crypto';
import { it } from 'node:test';
import { SignJWT } from 'jose';
import { createTokens } from '../../http/tokens.ts';
import { JWT_SECRET, type Office } from './office.ts';
import { story } from './story.ts';

const hour = 3_600_000;
const day = 24 * hour;

const me = ({ call }: Office, token: string) => call('GET', '/v1/me', { token });
const refresh = ({ call }: Office, refresh_token: string) => call('POST', '/auth/refresh', { body: { refresh_token } });

story('a login', (office) => {
  it('says who is calling', async () => {
    const { signUp } = office();
    const { token, agent_id } = await signUp();
    const { status, body } = await me(office(), token);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      tenant_id: agent_id,
      role: 'admin',
      agent_id,
      agent_name: 'Kopi Senja',
      name: 'Kopi Senja',
      auth: 'login',
      sessions: null,
    });
  });

  it('lasts two hours', async () => {
    const { signUp, clock } = office();
    const { token } = await signUp();
    await clock.advance(2 * hour - 1_000);
    assert.equal((await me(office(), token)).status, 200);
    await clock.advance(1_000);
    assert.equal((await me(office(), token)).status, 401);
  });

  it('goes on with each refresh, which gives a new pair', async () => {
    const { signUp, clock } = office();
    let login = await signUp();
    for (let nth = 0; nth < 3; nth += 1) {
      await clock.advance(29 * day);
      const answer = await refresh(office(), login.refresh_token);
      assert.equal(answer.status, 200);
      assert.notEqual(answer.body.refresh_token, login.refresh_token);
      assert.equal((await me(office(), answer.body.token)).status, 200);
      login = answer.body;
    }
  });

  it('is over when it was not refreshed for thirty days', async () => {
    const { signUp, clock } = office();
    const { refresh_token } = await signUp();
    await clock.advance(30 * day);
    assert.equal((await refresh(office(), refresh_token)).status, 401);
  });

  it('ends altogether when a used refresh token comes back', async () => {
    const { signUp } = office();
    const stolen = await signUp();
    const next = (await refresh(office(), stolen.refresh_token)).body;
    assert.equal((await me(office(), next.token)).status, 200);

    const reused = await refresh(office(), stolen.refresh_token);
    assert.deepEqual([reused.status, reused.body.code], [401, 'UNAUTHORIZED']);
    assert.equal((await refresh(office(), next.refresh_token)).status, 401);
    assert.equal((await me(office(), next.token)).status, 401);
    assert.equal((await me(office(), stolen.token)).status, 401);
  });

  it('is refreshed by exactly one of two at once', async () => {
    const { signUp } = office();
    const { refresh_token } = await signUp();
    const answers = await Promise.all([1, 2, 3].map(() => refresh(office(), refresh_token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
  });

  it('does not end because somebody invents a refresh token for it', async () => {
    const { signUp } = office();
    const { token, refresh_token } = await signUp();
    const [family, chance, mark] = refresh_token.split('.');
    const invented = [
      `${family}.${'A'.repeat(32)}.${mark}`,
      `${family}.${chance}.${'A'.repeat(22)}`,
      `${family}.${chance}`,
      'x'.repeat(40),
    ];
    for (const text of invented) assert.equal((await refresh(office(), text)).status, 401, text);
    assert.equal((await refresh(office(), 'short')).status, 400);
    assert.equal((await me(office(), token)).status, 200);
    assert.equal((await refresh(office(), refresh_token)).status, 200);
  });

  it('ends at logout; another login of the same owner goes on', async () => {
    const { signUp, enter, call, clock } = office();
    const here = await signUp();
    await call('POST', '/auth/request-otp', { body: { phone: '+6281234567890' } });
    await clock.advance(1);
    const there = await enter('+6281234567890');

    const answer = await call('POST', '/auth/logout', { token: here.token });
    assert.deepEqual([answer.status, answer.body], [200, { ok: true }]);
    assert.equal((await me(office(), here.token)).status, 401);
    assert.equal((await refresh(office(), here.refresh_token)).status, 401);
    assert.equal((await me(office(), there.token)).status, 200);
  });

  it('keeps its refresh token out of the store', async () => {
    const { signUp, world } = office();
    const { refresh_token, agent_id } = await signUp();
    const row = await world.logins.findLive(agent_id, refresh_token.split('.')[0]!, office().clock.now());
    assert.match(row?.current ?? '', /^[0-9a-f]{64}$/);
  });
});

story('a token that is not ours', (office) => {
  it('opens nothing', async () => {
    const { signUp, clock } = office();
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
    for (const text of forged) assert.equal((await me(office(), text)).status, 401, text);
    assert.equal((await me(office(), token)).status, 200);
  });

  it('of the wrong kind opens nothing, even signed with our key', async () => {
    const { signUp, world, clock } = office();
    const { agent_id, refresh_token } = await signUp();
    const key = Buffer.from(hkdfSync('sha256', JWT_SECRET, '', 'access tokens', 32));
    const right = { alg: 'HS256', typ: 'at+jwt', iss: 'messaging-gateway', aud: 'messaging-gateway/v1', exp: clock.now() / 1000 + 60 };
    const read = ({ alg, typ, iss, aud, exp }: typeof right) =>
      new SignJWT({ tenant: agent_id, role: 'admin', agent: agent_id, family: refresh_token.split('.')[0], iss, aud, exp })
        .setProtectedHeader({ alg, typ })
        .sign(key)
        .then((token) => world.tokens.read(token, clock.now()));
    assert.equal((await read(right))?.tenantId, agent_id);
    for (const wrong of [{ alg: 'HS512' }, { typ: 'JWT' }, { iss: 'another' }, { aud: 'another' }, { exp: clock.now() / 1000 }])
      assert.equal(await read({ ...right, ...wrong }), null, JSON.stringify(wrong));
  });

  it('of a login that never was opens nothing', async () => {
    const { signUp, world, clock } = office();
    const { agent_id } = await signUp();
    const claims = { tenantId: agent_id, role: 'admin', agentId: agent_id, family: '01J9ZK3V5T8Q4W2N6R7X0Y1ABC' } as const;
    const nobodys = await world.tokens.issue(claims, clock.now());
    assert.equal((await me(office(), nobodys)).status, 401);
  });
});
