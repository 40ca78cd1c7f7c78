import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { type Limits, LimitsInMemory } from '../../../../http/limits/limits.ts';
import { replacingStore } from '../../../../scripts/faults/replacing-store.ts';
import { anAuthenticator } from '../../../support/authenticator.ts';
import { type Api, aGateway, codeOn, type Gateway } from '../../../support/gateway.ts';
import { NEVER_FULL } from '../../../support/limits.ts';
import { eachStore, type Scope } from '../../../support/stores.ts';
import { listen, ticketUrl } from '../live/listener.ts';
import { aTeam, BUDI, type Colleague, DEWI, hired, signedIn } from './agents-fixture.ts';

const STRANGER = '6281311110099';
const OTHER = '+62 811-0000-8888';

/** Registers a passkey and turns two-factor on; what the passkey and the app then say. */
async function withFactors({ api: anybody, node, clock }: Gateway, { api }: Colleague) {
  const authenticator = anAuthenticator(`http://localhost:${new URL(node.url).port}`);
  const credential = authenticator.create((await api('POST', '/v1/passkeys/options')).body);
  assert.equal((await api('POST', '/v1/passkeys', { name: 'Laptop', credential })).status, 201);
  const totp = new TOTP({ secret: Secret.fromBase32((await api('POST', '/v1/2fa/setup')).body.secret) });
  const code = (): string => totp.generate({ timestamp: clock.now() });
  assert.equal((await api('POST', '/v1/2fa/enable', { code: code() })).status, 200);
  await clock.advance(30_000);
  const signIn = async () => {
    const options = (await anybody('POST', '/auth/passkey/options')).body;
    return anybody('POST', '/auth/passkey', { credential: authenticator.get(options) });
  };
  return { signIn, finish: (challenge: string) => anybody('POST', '/auth/2fa/verify', { challenge, code: code() }) };
}

const challengeOf = (tokens: object): string => ('challenge' in tokens ? String(tokens.challenge) : '');

eachStore('agents', (kind) => {
  it('can be added, listed, changed and removed by the owner', async (t) => {
    const { owner, dewi, budi } = await aTeam(t, kind);
    const { body } = await owner('GET', `/v1/agents/${dewi.id}`);
    assert.deepEqual([body.name, body.phone, body.is_active, body.online], ['Dewi', DEWI, true, false]);
    assert.equal((await owner('PATCH', `/v1/agents/${dewi.id}`, { name: 'Dewi S.' })).body.name, 'Dewi S.');
    assert.equal((await dewi.api('GET', '/v1/me')).body.agent_name, 'Dewi S.');
    assert.deepEqual((await owner('DELETE', `/v1/agents/${budi.id}`)).body, { ok: true });
    assert.equal((await owner('GET', `/v1/agents/${budi.id}`)).status, 404);
  });

  it('are listed in full, sorted by name', async (t) => {
    const { owner } = await aTeam(t, kind);
    for (const [nth, name] of ['cleo', 'Agus', 'Budi'].entries())
      await owner('POST', '/v1/agents', { name, phone: `+62813111200${10 + nth}` });
    const { body } = await owner('GET', '/v1/agents');
    assert.deepEqual(
      body.agents.map(({ name }: { name: string }) => name),
      ['Agus', 'Budi', 'Budi', 'cleo', 'Dewi'],
    );
    assert.deepEqual(Object.keys(body), ['agents']);
    const { agents } = (await owner('GET', '/v1/agents?limit=1')).body;
    assert.deepEqual(agents, body.agents.slice(0, 1));
  });

  it('sign in with their own phone and get the agent role', async (t) => {
    const { gateway, tenant, dewi } = await aTeam(t, kind);
    assert.deepEqual([dewi.tokens.role, dewi.tokens.agent_name], ['agent', 'Dewi']);
    const { body } = await dewi.api('GET', '/v1/me');
    assert.deepEqual([body.tenant_id, body.role, body.agent_id, body.name], [tenant.id, 'agent', dewi.id, 'Acme']);
    const again = await gateway.api('POST', '/auth/refresh', { refresh_token: dewi.tokens.refresh_token });
    assert.deepEqual([again.body.role, again.body.agent_id], ['agent', dewi.id]);
  });

  it('can be added with any number, without revealing whether another business uses it', async (t) => {
    const { gateway, tenant, owner, dewi, budi } = await aTeam(t, kind);
    const other = await gateway.signUp('Other', OTHER);
    const invite = async (api: Api, phone: string) => (await api('POST', '/v1/agents', { name: 'X', phone: `+${phone}` })).status;
    assert.deepEqual(
      [await invite(other.api, DEWI), await invite(other.api, tenant.phone), await invite(other.api, STRANGER)],
      [201, 201, 201],
    );
    assert.equal((await signedIn(gateway, DEWI)).agent_name, 'Dewi', 'hers is still the login at her business');
    assert.equal((await signedIn(gateway, tenant.phone)).role, 'admin');
    assert.deepEqual([await invite(owner, DEWI), await invite(owner, tenant.phone)], [409, 409], 'a number of one’s own tenant');
    assert.equal((await owner('PATCH', `/v1/agents/${dewi.id}`, { phone: `+${BUDI}` })).body.code, 'PHONE_IN_USE');
    assert.equal((await owner('POST', '/v1/agents', { name: 'X', phone: '+99912345678' })).body.code, 'INVALID_NUMBER');
    const founded = await gateway.signUp('Stranger Ltd', `+${STRANGER}`);
    assert.equal((await founded.api('GET', '/v1/me')).body.role, 'admin', 'who was invited founds a business of their own');
    assert.equal((await gateway.during(gateway.api('POST', '/auth/register', { name: 'D', phone: `+${DEWI}` }))).status, 409);
    await owner('DELETE', `/v1/agents/${budi.id}`);
    assert.equal(await invite(other.api, BUDI), 201);
    assert.equal((await signedIn(gateway, BUDI)).role, 'agent');
    assert.match(String(gateway.sandbox.phone(BUDI).messages(1)[0]?.content.type), /text/);
  });

  it('can be added at a rate of twenty a minute, with the same response for every number', async (t) => {
    const gateway = await aGateway(t, { kind, limits: new LimitsInMemory() });
    const [acme, other] = [await gateway.signUp(), await gateway.signUp('Other', OTHER)];
    await hired(gateway, acme.api, 'Dewi', DEWI);
    const numbers = [acme.phone, DEWI, ...Array.from({ length: 149 }, (_, nth) => String(6281311120000 + nth))];
    const answers = [];
    for (const phone of numbers) answers.push(await other.api('POST', '/v1/agents', { name: 'X', phone: `+${phone}` }));
    assert.deepEqual(
      answers.map(({ status }) => status),
      numbers.map((_, nth) => (nth < 20 ? 201 : 429)),
    );
    const shapes = answers.slice(0, 20).map(({ body: { id, phone, ...rest } }) => JSON.stringify([typeof id, ...Object.entries(rest)]));
    assert.equal(new Set(shapes).size, 1, 'a customer, an agent and strangers cannot be told apart');
    assert.match(answers[150]?.headers.get('retry-after') ?? '', /^\d+$/);
    const { id } = answers[0]?.body ?? {};
    assert.equal((await other.api('PATCH', `/v1/agents/${id}`, { phone: '+6281311130000' })).status, 429, 'a changed number counts, too');
    assert.equal((await other.api('PATCH', `/v1/agents/${id}`, { name: 'Y' })).status, 200);
    assert.equal((await acme.api('POST', '/v1/agents', { name: 'X', phone: '+6281311130000' })).status, 201, 'others have their own limit');
  });

  it('need a code from the business that they join, even if another business sent one to their number', async (t) => {
    const gateway = await aGateway(t, { kind });
    const [acme, other] = [await gateway.signUp(), await gateway.signUp('Other', OTHER)];
    assert.equal((await acme.api('POST', '/v1/agents', { name: 'Dewi', phone: `+${DEWI}` })).status, 201);
    await gateway.during(gateway.api('POST', '/auth/register', { name: 'Squatter', phone: `+${DEWI}` }));
    await gateway.api('POST', '/auth/request-otp', { phone: `+${DEWI}` });
    await gateway.until('the code arrives', () => gateway.sandbox.phone(DEWI).messages(9).length === 2);
    const code = codeOn(gateway.sandbox, DEWI);
    assert.equal((await other.api('POST', '/v1/agents', { name: 'Dewi', phone: `+${DEWI}` })).status, 201);
    const late = await gateway.api('POST', '/auth/verify-otp', { phone: `+${DEWI}`, code });
    assert.equal(late.status, 401, 'the code of one business is no key to another');
    await gateway.api('POST', '/auth/request-otp', { phone: `+${DEWI}` });
    await gateway.until('another code arrives', () => gateway.sandbox.phone(DEWI).messages(9).length === 3);
    const [received] = gateway.sandbox.phone(DEWI).messages(1);
    assert.match(received?.content.type === 'text' ? received.content.body : '', /^Other (mengundang|invites)/);
  });

  it('receive a one-line invitation that contains the business name but no links', async (t) => {
    const gateway = await aGateway(t, { kind });
    const invitationOf = async (name: string, nth: number): Promise<string> => {
      const { api } = await gateway.signUp(name, `+62 811-0000-77${10 + nth}`);
      const phone = `62813111150${10 + nth}`;
      await api('POST', '/v1/agents', { name: 'Dewi', phone: `+${phone}` });
      await gateway.api('POST', '/auth/request-otp', { phone: `+${phone}` });
      await gateway.until('the code arrives', () => codeOn(gateway.sandbox, phone));
      const [received] = gateway.sandbox.phone(phone).messages(1);
      return received?.content.type === 'text' ? received.content.body.split(' mengundang')[0]! : '';
    };
    const names = {
      'Kopi Senja & Co. No. 1': 'Kopi Senja & Co. No. 1',
      'Kopi\nSenja\u2028\u202eTwo': 'Kopi Senja Two',
      'Win a prize\nhttps://evil.example/x': 'Sebuah bisnis',
      'Prize: evil.example': 'Sebuah bisnis',
      'Prize: evil\uff0eexample': 'Sebuah bisnis',
    };
    for (const [nth, [name, shown]] of Object.entries(names).entries()) assert.equal(await invitationOf(name, nth), shown);
  });

  it('can be added at a rate of up to five hundred a day', async (t) => {
    const real = new LimitsInMemory();
    const twentieth: Limits = {
      ...NEVER_FULL,
      takeAll: (windows, now) =>
        real.takeAll(
          windows.map((window) => ({ ...window, max: window.max / 20 })),
          now,
        ),
    };
    const gateway = await aGateway(t, { kind, limits: twentieth });
    const { api: owner, phone } = await gateway.signUp();
    const invited = async (nth: number, api = owner) =>
      (await api('POST', '/v1/agents', { name: 'X', phone: `+${6281311120000 + nth}` })).status;
    for (let nth = 0; nth < 25; nth += 1) {
      assert.equal(await invited(nth), 201);
      gateway.clock.jump(60_000);
    }
    assert.equal(await invited(25), 429);
    gateway.clock.jump(24 * 60 * 60_000);
    assert.equal(await invited(25, gateway.as((await signedIn(gateway, phone)).token)), 201);
  });

  it('are created only once per business, even by concurrent requests', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenants = [await gateway.signUp(), await gateway.signUp('Other', OTHER)];
    const asking = Array.from({ length: 10 }, (_, nth) =>
      tenants[nth % 2]!.api('POST', '/v1/agents', { name: `no. ${nth}`, phone: `+${DEWI}` }),
    );
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [201, 201, ...Array(8).fill(409)]);
  });

  it('lose their access token, refresh token and stream when deactivated, and can be reactivated', async (t) => {
    const { gateway, owner, dewi } = await aTeam(t, kind);
    const stream = await listen(gateway.node.url, dewi.api);
    const unused = await ticketUrl(dewi.api);
    await owner('PATCH', `/v1/agents/${dewi.id}`, { is_active: false });
    assert.equal((await dewi.api('GET', '/v1/me')).status, 401);
    assert.equal((await gateway.api('POST', '/auth/refresh', { refresh_token: dewi.tokens.refresh_token })).status, 401);
    assert.equal((await gateway.api('GET', unused)).status, 401);
    const since = gateway.clock.now();
    await gateway.until('the stream ends', () => stream.isClosed);
    assert.ok(gateway.clock.now() - since <= 5_000);
    await gateway.api('POST', '/auth/request-otp', { phone: `+${DEWI}` });
    const code = codeOn(gateway.sandbox, DEWI);
    assert.equal((await gateway.api('POST', '/auth/verify-otp', { phone: `+${DEWI}`, code })).status, 401);

    await owner('PATCH', `/v1/agents/${dewi.id}`, { is_active: true });
    assert.equal((await dewi.api('GET', '/v1/me')).status, 401, 'an old login stays ended');
    const { token } = await signedIn(gateway, DEWI);
    await gateway.clock.advance(120_000);
    assert.equal((await gateway.as(token)('GET', '/v1/me')).status, 200, 'the sweep ends no new login');
  });

  it('are signed out immediately when they are deleted or get another phone number', async (t) => {
    const { gateway, owner, dewi, budi } = await aTeam(t, kind);
    await owner('DELETE', `/v1/agents/${dewi.id}`);
    await owner('PATCH', `/v1/agents/${budi.id}`, { phone: '+6281311110003' });
    assert.deepEqual([(await dewi.api('GET', '/v1/me')).status, (await budi.api('GET', '/v1/me')).status], [401, 401]);
    assert.equal((await gateway.as((await signedIn(gateway, '6281311110003')).token)('GET', '/v1/me')).body.agent_id, budi.id);
    await gateway.clock.advance(120_000);
    assert.equal(await gateway.store.collection({ name: 'agents', indexes: [] }).findOne({ _id: dewi.id }), null);
  });

  it('are signed out when their number changes, even if the process crashes during the change', async (t) => {
    let isDead = false;
    const dead = async (): Promise<never> => Promise.reject(new Error('the process has ended'));
    const fresh = async (scope: Scope) =>
      replacingStore(await kind.fresh(scope), (collection, raw) =>
        collection === 'logins' ? { updateMany: (...asked) => (isDead ? dead() : raw.updateMany(...asked)) } : {},
      );
    const { gateway, owner, budi } = await aTeam(t, { name: kind.name, fresh });
    isDead = true;
    assert.equal((await owner('PATCH', `/v1/agents/${budi.id}`, { phone: `+${STRANGER}` })).status, 500);
    await gateway.clock.advance(6_000);
    assert.equal((await budi.api('GET', '/v1/me')).status, 401);
    assert.equal((await gateway.api('POST', '/auth/refresh', { refresh_token: budi.tokens.refresh_token })).status, 401);
    isDead = false;
    const next = gateway.as((await signedIn(gateway, STRANGER)).token);
    assert.equal((await next('GET', '/v1/me')).body.agent_id, budi.id);
    assert.equal((await budi.api('GET', '/v1/me')).status, 401, 'who signs in next ends it');
    assert.equal((await gateway.api('POST', '/auth/refresh', { refresh_token: budi.tokens.refresh_token })).status, 401);
    await gateway.clock.advance(120_000);
    assert.deepEqual([(await next('GET', '/v1/me')).status, (await budi.api('GET', '/v1/me')).status], [200, 401], 'after the sweep, too');
  });

  it('do not leave their passkeys and second factor to the next user of their account', async (t) => {
    const { gateway, owner, budi } = await aTeam(t, kind);
    const { signIn, finish } = await withFactors(gateway, budi);
    const challenge = challengeOf(await signedIn(gateway, BUDI));
    assert.equal((await signIn()).status, 200);
    await owner('PATCH', `/v1/agents/${budi.id}`, { phone: `+${STRANGER}` });
    assert.deepEqual(
      [(await signIn()).status, (await finish(challenge)).status],
      [401, 401],
      'nobody has proved to hold the new number yet',
    );
    const next = await signedIn(gateway, STRANGER);
    assert.equal(next.role, 'agent');
    assert.ok(next.token, 'the app of who was there before is not asked for');
    assert.equal((await signIn()).status, 401);
    const api = gateway.as(next.token);
    assert.deepEqual((await api('GET', '/v1/passkeys')).body.passkeys, []);
    assert.equal((await api('GET', '/v1/2fa')).body.enabled, false);
  });

  it('cannot finish a sign-in that began before they were deactivated', async (t) => {
    const { gateway, owner, budi } = await aTeam(t, kind);
    const { finish } = await withFactors(gateway, budi);
    const challenge = challengeOf(await signedIn(gateway, BUDI));
    await owner('PATCH', `/v1/agents/${budi.id}`, { is_active: false });
    assert.equal((await finish(challenge)).status, 401);
    await owner('PATCH', `/v1/agents/${budi.id}`, { is_active: true });
    const again = challengeOf(await signedIn(gateway, BUDI));
    assert.equal((await finish(again)).status, 200, 'who comes back has the same factors');
  });

  it('are online while they make calls or use a stream, and offline after signing out', async (t) => {
    const { gateway, owner, dewi, budi } = await aTeam(t, kind);
    const online = async (id: string) => (await owner('GET', `/v1/agents/${id}`)).body.online;
    await dewi.api('GET', '/v1/me');
    await listen(gateway.node.url, budi.api);
    for (const { id } of [dewi, budi]) await gateway.until('the call is noted', () => online(id));
    await gateway.clock.advance(180_000);
    assert.deepEqual([await online(dewi.id), await online(budi.id)], [false, true]);
    await budi.api('POST', '/auth/logout');
    assert.equal(await online(budi.id), false);
  });
});

eachStore('an agent', (kind) => {
  it('cannot perform actions reserved for the owner', async (t) => {
    const { gateway, owner, device, dewi } = await aTeam(t, kind);
    const forbidden = [
      ['GET', '/v1/agents'],
      ['POST', '/v1/agents', { name: 'X', phone: '+6281311110009' }],
      ['GET', `/v1/agents/${dewi.id}`],
      ['PATCH', `/v1/agents/${dewi.id}`, { name: 'Queen' }],
      ['DELETE', `/v1/agents/${dewi.id}`],
      ['GET', '/v1/api-keys'],
      ['PUT', '/v1/settings', {}],
      ['PUT', '/v1/profile', {}],
      ['GET', '/v1/webhooks'],
      ['POST', '/v1/sessions', {}],
      ['DELETE', device.path],
      ['POST', `${device.path}/logout`],
      ['GET', `${device.path}/qr`],
      ['GET', `${device.path}/queue`],
      ['DELETE', `${device.path}/queue`],
      ['GET', '/v1/media'],
      ['GET', '/v1/blasts'],
      ['GET', `${device.path}/recurring`],
      ['GET', '/v1/consent/export'],
      ['PUT', '/v1/consent/config', {}],
      ['GET', '/v1/settings'],
      ['GET', '/v1/onboarding'],
      ['GET', '/v1/segments'],
      ['POST', '/v1/segments', {}],
      ['DELETE', `/v1/segments/${dewi.id}`],
      ['DELETE', `/v1/contacts/${dewi.id}`],
      ['POST', '/v1/templates', {}],
      ['DELETE', `/v1/templates/${dewi.id}`],
      ['POST', `${device.path}/messages/bulk`, {}],
    ] as const;
    for (const [method, path, body] of forbidden) assert.equal((await dewi.api(method, path, body)).status, 403, `${method} ${path}`);
    const key = gateway.as((await owner('POST', '/v1/api-keys', { name: 'k' })).body.key);
    assert.equal((await key('GET', '/v1/agents')).status, 403);
  });

  it('is hidden from other tenants', async (t) => {
    const { gateway, dewi } = await aTeam(t, kind);
    const other = await gateway.signUp('Other', OTHER);
    const { api } = await hired(gateway, other.api, 'Rani', '6281311110005');
    for (const method of ['GET', 'DELETE']) assert.equal((await other.api(method, `/v1/agents/${dewi.id}`)).status, 404);
    assert.equal((await other.api('PATCH', `/v1/agents/${dewi.id}`, { name: 'X' })).status, 404);
    assert.deepEqual((await api('GET', '/v1/sessions')).body.sessions, []);
  });
});
