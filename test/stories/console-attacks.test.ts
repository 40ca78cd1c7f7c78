import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Limits, LimitsInMemory } from '../../http/limits/limits.ts';
import { type Answer, aGateway, codeOn, type Gateway } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { embedded } from '../support/stores.ts';

const PAGE = { 'sec-fetch-site': 'same-origin' };
const SESSION = '/console/session';
const REFRESH = '/console/session/refresh';
const AGENT = '6281311110001';
/** What pages of an owner read. */
const OF_OWNERS = ['/v1/agents', '/v1/api-keys', '/v1/webhooks', '/v1/audit', '/v1/privacy', '/v1/segments'];
const OF_OPERATORS = ['/v1/admin/nodes', '/v1/admin/tenants', '/v1/admin/sessions'];

/** Signs a browser in: its cookie, and what its page gets. */
async function browserOf(gateway: Gateway, phone: string) {
  const { api, sandbox, until } = gateway;
  const old = codeOn(sandbox, phone);
  await api('POST', '/auth/request-otp', { phone: `+${phone}` });
  const code = await until('a code', () => codeOn(sandbox, phone) !== old && codeOn(sandbox, phone));
  const answer = await api('POST', SESSION, { phone: `+${phone}`, code }, PAGE);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const [set = ''] = answer.headers.getSetCookie();
  const cookie = set.split(';')[0] ?? '';
  return { cookie, page: answer.body, refresh: (more = {}) => api('POST', REFRESH, undefined, { ...PAGE, cookie, ...more }) };
}

const statuses = async (answers: readonly Promise<Answer>[]): Promise<readonly number[]> =>
  [...new Set((await Promise.all(answers)).map(({ status }) => status))].sort();

it("a cookie alone grants no access, and a token grants no access to other businesses' data", async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const [ani, budi] = [await gateway.signUp(), await gateway.signUp('Warung Budi', '+62 811-0000-8888')];
  const { id: device } = (await budi.api('POST', '/v1/sessions', {})).body;
  const own = await browserOf(gateway, ani.phone);
  const withCookie = (path: string, more = {}) => gateway.api('GET', path, undefined, { ...PAGE, cookie: own.cookie, ...more });
  assert.deepEqual(await statuses([...OF_OWNERS, ...OF_OPERATORS, '/v1/me'].map((path) => withCookie(path))), [401]);
  assert.equal((await gateway.api('POST', '/auth/logout', undefined, { ...PAGE, cookie: own.cookie })).status, 401);

  const asBudi = { authorization: `Bearer ${budi.tokens.token}` };
  assert.equal((await own.refresh(asBudi)).body.agent_id, ani.id, 'who renews is whose cookie it is');
  assert.equal((await withCookie('/v1/me', asBudi)).body.tenant_id, budi.id, 'who calls is whose token it is');
  assert.equal((await gateway.as(own.page.token)('GET', `/v1/sessions/${device}`)).status, 404);
  assert.equal((await gateway.api('DELETE', SESSION, undefined, { ...PAGE, ...asBudi })).status, 200, 'without a cookie it ends nothing');
  assert.equal((await budi.api('GET', '/v1/me')).status, 200);

  const key = (await ani.api('POST', '/v1/api-keys', { name: 'reads', scopes: ['read'] })).body.key;
  const byKey = await gateway.api('POST', REFRESH, undefined, { ...PAGE, authorization: `Bearer ${key}` });
  assert.equal(byKey.status, 204, 'no key becomes a login');
  for (const proof of [{ 'x-admin-secret': gateway.node.secrets.admin }, { authorization: `Bearer ${gateway.node.secrets.admin}` }])
    assert.equal((await gateway.api('POST', REFRESH, undefined, { ...PAGE, ...proof })).status, 204);
  assert.deepEqual(
    await statuses(OF_OWNERS.map((path) => gateway.operator('GET', path))),
    [401],
    'the operator reads no tenant as its owner',
  );
  assert.deepEqual(await statuses(OF_OPERATORS.map((path) => gateway.as(own.page.token)('GET', path))), [401]);
});

it('requests from pages of other sites are rejected before they have any effect', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const ani = await gateway.signUp();
  const { cookie, refresh } = await browserOf(gateway, ani.phone);
  const sites = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://shop.example' },
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
  ];
  for (const site of sites) {
    for (const [method, path] of [
      ['DELETE', SESSION],
      ['POST', REFRESH],
      ['POST', SESSION],
    ] as const) {
      const answer = await gateway.api(method, path, {}, { ...site, cookie });
      assert.deepEqual([answer.status, answer.headers.getSetCookie(), answer.body.token], [403, [], undefined], `${method} ${path}`);
      assert.equal(answer.headers.get('access-control-allow-origin'), null);
    }
    const asked = await gateway.api('OPTIONS', REFRESH, undefined, { ...site, 'access-control-request-method': 'POST', cookie });
    assert.equal(asked.headers.get('access-control-allow-origin'), null, 'nobody is told that they may ask');
  }
  assert.equal((await gateway.api('GET', REFRESH, undefined, { ...PAGE, cookie })).status, 404, 'no link or picture renews anything');
  assert.equal((await refresh()).status, 200, 'it is signed in as before');
});

it("an agent's cookie grants only the agent's rights, and is revoked when the agent is deactivated", async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const ani = await gateway.signUp();
  const { id } = (await ani.api('POST', '/v1/agents', { name: 'Dewi', phone: `+${AGENT}` })).body;
  const dewi = await browserOf(gateway, AGENT);
  assert.equal(dewi.page.role, 'agent');
  const { token, role } = (await dewi.refresh()).body;
  assert.equal(role, 'agent');
  assert.deepEqual(await statuses(OF_OWNERS.map((path) => gateway.as(token)('GET', path))), [403]);
  assert.deepEqual(await statuses(OF_OPERATORS.map((path) => gateway.as(token)('GET', path))), [401]);
  assert.equal((await ani.api('PATCH', `/v1/agents/${id}`, { is_active: false })).status, 200);
  assert.equal((await dewi.refresh()).status, 401);
  assert.equal((await gateway.as(token)('GET', '/v1/me')).status, 401);
});

it('the number of token renewals is limited for each browser', async (t) => {
  const gateway = await aGateway(t, { kind: embedded, limits: aHundredth() });
  const [ani, budi] = [await gateway.signUp(), await gateway.signUp('Warung Budi', '+62 811-0000-8888')];
  const [one, other] = [await browserOf(gateway, ani.phone), await browserOf(gateway, budi.phone)];
  const flood: Answer[] = [];
  for (let nth = 0; nth < 9; nth += 1) flood.push(await one.refresh());
  assert.deepEqual(
    flood.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200, 429, 429, 429],
  );
  assert.ok(Number(flood.at(-1)?.headers.get('retry-after')) > 0);
  assert.equal((await other.refresh()).status, 200);
  const guesses = Array.from({ length: 4 }, (_, nth) =>
    gateway.api('POST', REFRESH, undefined, { ...PAGE, cookie: `__Host-gateway=${'a'.repeat(60)}${nth}` }),
  );
  assert.deepEqual(await statuses(guesses), [401, 429], 'made-up cookies share the limit of their address');
  await gateway.clock.advance(61_000);
  assert.equal((await one.refresh()).status, 200);
});

it('attempts to guess a code are limited for each IP network, without affecting callers from other networks', async (t) => {
  const gateway = await aGateway(t, { kind: embedded, config: { trusted_proxies: ['127.0.0.1'] } });
  const ani = await gateway.signUp();
  const from = (address: string) => (path: string, body: object) =>
    gateway.api('POST', path, body, { ...PAGE, 'x-forwarded-for': address });
  const guesser = from('2001:db8::bad');
  const guesses: Promise<Answer>[] = [];
  for (let nth = 100; nth < 150; nth += 1) {
    guesses.push(guesser('/auth/verify-otp', { phone: `+6281311110${nth}`, code: '123456' }));
    guesses.push(guesser(SESSION, { challenge: 'a challenge that nobody ever gave', code: '123456' }));
  }
  assert.deepEqual(await statuses(guesses), [401]);
  await gateway.api('POST', '/auth/request-otp', { phone: `+${ani.phone}` });
  const first = codeOn(gateway.sandbox, ani.phone);
  const code = await gateway.until('a code', () => codeOn(gateway.sandbox, ani.phone) !== first && codeOn(gateway.sandbox, ani.phone));
  const right = { phone: `+${ani.phone}`, code };
  const neighbour = from('2001:db8::cafe');
  const refused = await Promise.all([
    guesser(SESSION, right),
    neighbour('/auth/verify-otp', right),
    neighbour('/auth/2fa/verify', { challenge: 'a challenge that nobody ever gave', code: '123456' }),
  ]);
  assert.deepEqual([...new Set(refused.map(({ status }) => status))], [429]);
  const retryAfter = Number(refused[0]?.headers.get('retry-after'));
  assert.ok(retryAfter > 0 && retryAfter <= 600, String(retryAfter));
  assert.equal((await from('2001:db8:0:1::1')('/auth/verify-otp', right)).status, 200);
  await gateway.clock.advance(10 * 60_000);
  assert.equal((await guesser('/auth/verify-otp', right)).status, 401, 'ten minutes later it is looked at again');
  const old = codeOn(gateway.sandbox, ani.phone);
  await gateway.api('POST', '/auth/request-otp', { phone: `+${ani.phone}` });
  const next = await gateway.until('a code', () => codeOn(gateway.sandbox, ani.phone) !== old && codeOn(gateway.sandbox, ani.phone));
  assert.equal((await neighbour('/auth/verify-otp', { phone: `+${ani.phone}`, code: next })).status, 200, 'and the neighbour signs in');
});

/** Limits of the console are there, a hundred times as low. */
function aHundredth(): Limits {
  const real = new LimitsInMemory();
  return {
    ...NEVER_FULL,
    take: (key, max, windowMs, now) => (key.startsWith('console-') ? real : NEVER_FULL).take(key, Math.ceil(max / 100), windowMs, now),
  };
}
