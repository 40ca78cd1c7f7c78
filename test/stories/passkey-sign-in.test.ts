import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { relyingPartyAt } from '../../actors/services/accounts/passkeys.ts';
import { anAuthenticator } from '../support/authenticator.ts';
import { type Api, aGateway, codeOn, type Gateway } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { aLog } from '../support/log.ts';
import { eachStore } from '../support/stores.ts';

const pageOf = ({ node }: Gateway): string => `http://localhost:${new URL(node.url).port}`;

/** A person at a browser who has registered a passkey with `api`. */
async function registered(gateway: Gateway, api: Api, name = 'Laptop') {
  const authenticator = anAuthenticator(pageOf(gateway));
  const options = (await api('POST', '/v1/passkeys/options')).body;
  const answer = await api('POST', '/v1/passkeys', { name, credential: authenticator.create(options) });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { authenticator, passkey: answer.body };
}

const asked = async (gateway: Gateway) => (await gateway.api('POST', '/auth/passkey/options')).body;
const signIn = (gateway: Gateway, credential: object) => gateway.api('POST', '/auth/passkey', { credential });

/** Two-factor on, with codes of an app. */
async function withCodes(gateway: Gateway, api: Api): Promise<() => string> {
  const { secret } = (await api('POST', '/v1/2fa/setup')).body;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = (): string => totp.generate({ timestamp: gateway.clock.now() });
  assert.equal((await api('POST', '/v1/2fa/enable', { code: code() })).status, 200);
  return code;
}

eachStore('passkeys', (kind) => {
  it("can be used to sign in after the owner's number has been banned", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, id } = await gateway.signUp();
    const { authenticator, passkey } = await registered(gateway, api);
    assert.deepEqual(Object.keys(passkey).toSorted(), ['created_at', 'id', 'name']);
    const { status, body } = await signIn(gateway, authenticator.get(await asked(gateway)));
    assert.deepEqual([status, body.role, body.agent_id], [200, 'admin', id]);
    assert.equal((await gateway.as(body.token)('GET', '/v1/me')).body.tenant_id, id);
    const [login] = (await api('GET', '/v1/audit?action=login.create')).body.entries;
    assert.deepEqual([login.auth, login.actor.id, login.result], ['passkey', id, 'ok']);
    const [made] = (await api('GET', '/v1/audit?action=passkey.create')).body.entries;
    assert.equal(made.target.id, passkey.id);
  });

  it('are accepted once per challenge, and only for their own page and account', async (t) => {
    const gateway = await aGateway(t, { kind, limits: NEVER_FULL });
    const { api } = await gateway.signUp();
    const { authenticator } = await registered(gateway, api);
    const refusedWhen = async (what: string, credential: object) =>
      assert.deepEqual([(await signIn(gateway, credential)).status, what], [401, what]);

    const said = authenticator.get(await asked(gateway));
    assert.equal((await signIn(gateway, said)).status, 200);
    await refusedWhen('said again', said);
    await refusedWhen('of another page', authenticator.get(await asked(gateway), { origin: 'http://localhost.example.com' }));
    await refusedWhen('for another host', authenticator.get(await asked(gateway), { rpId: 'example.com' }));
    await refusedWhen('without face or PIN', authenticator.get(await asked(gateway), { isVerified: false }));
    await refusedWhen('with a challenge of its own', authenticator.get({ ...(await asked(gateway)), challenge: 'AAAA' }));
    const { response, ...rest } = authenticator.get(await asked(gateway));
    await refusedWhen('signed by nobody', { ...rest, response: { ...response, signature: 'AAAA' } });
    const late = await asked(gateway);
    await gateway.clock.advance(5 * 60_000 + 1);
    await refusedWhen('too late', authenticator.get(late));

    const stranger = anAuthenticator(pageOf(gateway));
    stranger.create({ ...late, rp: { id: 'localhost' }, user: { id: authenticator.credentials[0]!.userHandle } });
    await refusedWhen('that was never registered', stranger.get(await asked(gateway)));
    const { entries } = (await api('GET', '/v1/audit?action=login.create')).body;
    assert.ok(entries.some(({ result, auth }: { result: string; auth: string }) => result === 'refused' && auth === 'passkey'));
  });

  it('are rejected if the counter shows that the authenticator was copied', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const { authenticator } = await registered(gateway, api);
    const [own] = authenticator.credentials;
    const copy = { ...own! };
    for (const _time of [1, 2]) assert.equal((await signIn(gateway, authenticator.get(await asked(gateway)))).status, 200);
    assert.equal((await signIn(gateway, authenticator.get(await asked(gateway), {}, copy))).status, 401);
    // The same count, at the same moment: one of them gets in.
    const [one, other] = [await asked(gateway), await asked(gateway)];
    const twin = { ...own! };
    const both = [authenticator.get(one), authenticator.get(other, {}, twin)];
    const answers = await Promise.all(both.map((credential) => signIn(gateway, credential)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401]);
  });

  it('cannot be used or changed by another business', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    const mine = await registered(gateway, acme.api);
    const theirs = await registered(gateway, globex.api);
    const as = await signIn(
      gateway,
      theirs.authenticator.get(await asked(gateway), { userHandle: mine.authenticator.credentials[0]!.userHandle }),
    );
    assert.equal(as.status, 401);
    assert.equal((await globex.api('DELETE', `/v1/passkeys/${mine.passkey.id}`)).status, 404);
    assert.equal((await globex.api('GET', `/v1/passkeys/${mine.passkey.id}`)).status, 404);
    assert.equal((await acme.api('GET', '/v1/passkeys')).body.passkeys.length, 1);

    const options = (await acme.api('POST', '/v1/passkeys/options')).body;
    const stolen = anAuthenticator(pageOf(gateway)).create(options);
    assert.equal(
      (await globex.api('POST', '/v1/passkeys', { name: 'stolen', credential: stolen })).status,
      400,
      "an answer to Acme's options",
    );
  });

  it('are registered once per challenge with user verification, and become invalid when removed', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const register = async (unlike: object) => {
      const options = (await api('POST', '/v1/passkeys/options')).body;
      return (await api('POST', '/v1/passkeys', { name: 'x', credential: anAuthenticator(pageOf(gateway)).create(options, unlike) }))
        .status;
    };
    assert.equal(await register({ origin: 'https://example.com' }), 400);
    assert.equal(await register({ rpId: 'example.com' }), 400);
    assert.equal(await register({ isVerified: false }), 400);
    const options = (await api('POST', '/v1/passkeys/options')).body;
    const { authenticatorSelection, rp } = options;
    assert.deepEqual(
      [authenticatorSelection.residentKey, authenticatorSelection.userVerification, rp.id],
      ['required', 'required', 'localhost'],
    );
    const authenticator = anAuthenticator(pageOf(gateway));
    const credential = authenticator.create(options);
    const { id } = (await api('POST', '/v1/passkeys', { name: 'once', credential })).body;
    assert.equal((await api('POST', '/v1/passkeys', { name: 'twice', credential })).status, 400);
    assert.equal((await api('POST', '/v1/passkeys/options')).body.excludeCredentials[0].id, credential.id);
    assert.equal((await api('DELETE', `/v1/passkeys/${id}`)).status, 200);
    assert.equal((await signIn(gateway, authenticator.get(await asked(gateway)))).status, 401);
  });

  it('can replace an app code at sign-in and for sensitive actions', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const { authenticator } = await registered(gateway, tenant.api);
    const code = await withCodes(gateway, tenant.api);
    await gateway.clock.advance(11 * 60_000);
    const stale = await tenant.api('POST', '/v1/passkeys/options');
    assert.deepEqual([stale.status, stale.body.code], [403, 'STEP_UP_REQUIRED']);
    const stranger = await registered(gateway, (await gateway.signUp('Globex', '+62 811-0000-8888')).api);
    const foreign = stranger.authenticator.get(await asked(gateway));
    assert.equal((await tenant.api('POST', '/auth/step-up', { credential: foreign })).status, 401);
    const both = { code: code(), credential: authenticator.get(await asked(gateway)) };
    assert.equal((await tenant.api('POST', '/auth/step-up', both)).status, 400);
    const { token } = (await tenant.api('POST', '/auth/step-up', { credential: authenticator.get(await asked(gateway)) })).body;
    assert.equal((await gateway.as(token)('POST', '/v1/passkeys/options')).status, 200);

    const old = codeOn(gateway.sandbox, tenant.phone);
    await gateway.api('POST', '/auth/request-otp', { phone: `+${tenant.phone}` });
    const sent = await gateway.until(
      'a code',
      () => codeOn(gateway.sandbox, tenant.phone) !== old && codeOn(gateway.sandbox, tenant.phone),
    );
    const { challenge } = (await gateway.api('POST', '/auth/verify-otp', { phone: `+${tenant.phone}`, code: sent })).body;
    const other = { challenge, credential: stranger.authenticator.get(await asked(gateway)) };
    assert.equal((await gateway.api('POST', '/auth/2fa/verify', other)).status, 401);
    const own = { challenge, credential: authenticator.get(await asked(gateway)) };
    assert.equal((await gateway.api('POST', '/auth/2fa/verify', own)).status, 200);

    await gateway.clock.advance(11 * 60_000);
    const alone = (await signIn(gateway, authenticator.get(await asked(gateway)))).body;
    assert.equal((await gateway.as(alone.token)('POST', '/v1/api-keys', { name: 'fresh' })).status, 201, 'both factors at once');
  });

  it('are rejected if the agent is deleted or the business is suspended', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const agent = (await tenant.api('POST', '/v1/agents', { name: 'Budi', phone: '+6281277770001' })).body;
    await gateway.api('POST', '/auth/request-otp', { phone: agent.phone });
    const code = await gateway.until('an invitation', () => codeOn(gateway.sandbox, '6281277770001'));
    const login = (await gateway.api('POST', '/auth/verify-otp', { phone: '+6281277770001', code })).body;
    const budi = await registered(gateway, gateway.as(login.token));
    const owner = await registered(gateway, tenant.api);
    const back = await signIn(gateway, budi.authenticator.get(await asked(gateway)));
    assert.deepEqual([back.status, back.body.role, back.body.agent_name], [200, 'agent', 'Budi']);
    await tenant.api('DELETE', `/v1/agents/${agent.id}`);
    assert.equal((await signIn(gateway, budi.authenticator.get(await asked(gateway)))).status, 401);
    await gateway.operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { suspended: true });
    assert.equal((await signIn(gateway, owner.authenticator.get(await asked(gateway)))).status, 403);
  });

  it('are limited to twenty for each person', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    for (let n = 0; n < 20; n += 1) await registered(gateway, api, `key ${n}`);
    const options = (await api('POST', '/v1/passkeys/options')).body;
    const more = await api('POST', '/v1/passkeys', { name: 'more', credential: anAuthenticator(pageOf(gateway)).create(options) });
    assert.equal(more.status, 409);
    assert.equal((await api('GET', '/v1/passkeys')).body.passkeys.length, 20);
  });

  it("are reported in the log at startup if the gateway's address makes them unusable", async (t) => {
    const config: { base_url: string | null } = { base_url: null };
    const { log, lines } = aLog();
    let gateway = await aGateway(t, { kind, config, log });
    const { api, tokens } = await gateway.signUp();
    await registered(gateway, api);
    assert.deepEqual(lines('auth.passkey'), []);
    const startedAt = async (url: string) => {
      config.base_url = url;
      const before = lines('auth.passkey').length;
      gateway = await gateway.crash();
      return lines('auth.passkey')
        .slice(before)
        .map(({ event, address, host, former }) => [event, address ?? host, former]);
    };
    assert.deepEqual(await startedAt('http://192.0.2.7:3000'), [
      ['auth.passkeys_unavailable', 'http://192.0.2.7:3000', undefined],
      ['auth.passkey_host_changed', '', 'localhost'],
    ]);
    const refused = await gateway.as(tokens.token)('POST', '/v1/passkeys/options');
    assert.deepEqual([refused.status, refused.body.code], [409, 'CONFLICT']);
    assert.deepEqual(await startedAt('https://gateway.example.com'), [['auth.passkey_host_changed', 'gateway.example.com', 'localhost']]);
    assert.deepEqual(await startedAt('http://127.0.0.1:3000'), [], 'this machine is localhost');
  });
});

it("passkeys use the gateway's host as the relying party, or localhost", () => {
  assert.deepEqual(relyingPartyAt('https://wa.example.com'), { id: 'wa.example.com', origin: 'https://wa.example.com' });
  assert.deepEqual(relyingPartyAt('http://127.0.0.1:8080'), { id: 'localhost', origin: 'http://localhost:8080' });
  assert.deepEqual(relyingPartyAt('http://[::1]:8080'), { id: 'localhost', origin: 'http://localhost:8080' });
  assert.equal(relyingPartyAt('https://192.0.2.7'), null);
});
