import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { anAuthenticator } from '../support/authenticator.ts';
import { aCluster } from '../support/cluster.ts';
import { type Answer, type Api, aGateway, codeOn, type Gateway, type Tenant } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const SESSION = '/console/session';
const REFRESH = '/console/session/refresh';
const PAGE = { 'sec-fetch-site': 'same-origin' };

/** What a browser keeps: the value of the cookie that an answer sets; null: none, '' where it is taken away. */
function cookieOf({ headers }: Answer): string | null {
  const [set] = headers.getSetCookie();
  return set === undefined ? null : (/^__Host-gateway=([^;]*);/.exec(set)?.[1] ?? null);
}

const keeping = (cookie: string | null) => ({ ...PAGE, ...(cookie && { cookie: `other=1; __Host-gateway=${cookie}` }) });

/** One browser of a person. */
function aBrowser(api: Api) {
  let cookie: string | null = null;
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await api(method, path, body, keeping(cookie));
    cookie = cookieOf(answer) ?? cookie;
    return answer;
  };
  return {
    signIn: (body: object) => call('POST', SESSION, body),
    refresh: () => call('POST', REFRESH),
    signOut: () => call('DELETE', SESSION),
    cookie: () => cookie,
  };
}

async function freshCode({ api, sandbox, until }: Pick<Gateway, 'api' | 'sandbox' | 'until'>, { phone }: Pick<Tenant, 'phone'>) {
  const old = codeOn(sandbox, phone);
  await api('POST', '/auth/request-otp', { phone: `+${phone}` });
  const code = await until('a code', () => codeOn(sandbox, phone) !== old && codeOn(sandbox, phone));
  return { phone: `+${phone}`, code };
}

async function signedIn(gateway: Gateway, tenant: Tenant) {
  const browser = aBrowser(gateway.api);
  const answer = await browser.signIn(await freshCode(gateway, tenant));
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return { browser, answer, me: async (token: string) => (await gateway.as(token)('GET', '/v1/me')).status };
}

const noRefreshToken = ({ body, headers }: Answer): void => {
  assert.doesNotMatch(JSON.stringify([body, [...headers]]), /refresh_token/);
};

eachStore('a browser session', (kind) => {
  it('starts with a code, and keeps every secret except the access token in a cookie', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const { browser, answer, me } = await signedIn(gateway, tenant);
    const { token, expires_at, ...rest } = answer.body;
    assert.deepEqual(rest, { role: 'admin', agent_id: tenant.id, agent_name: 'Acme' });
    const left = expires_at - gateway.clock.now();
    assert.ok(left > 7_199_000 - 1 && left <= 7_200_000, `${left} ms`);
    noRefreshToken(answer);
    assert.equal(await me(token), 200);
    const [set = ''] = answer.headers.getSetCookie();
    for (const part of ['Secure', 'HttpOnly', 'SameSite=Strict', 'Path=/']) assert.ok(set.includes(`; ${part}`), set);
    assert.doesNotMatch(set, /Domain/i);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const cookie = browser.cookie() ?? '';
    assert.match(cookie, /^[\w-]{40,}$/);
    for (const api of [gateway.as(cookie), gateway.api]) assert.equal((await api('GET', '/v1/me')).status, 401);
    assert.equal((await gateway.api('POST', '/auth/refresh', { refresh_token: cookie })).status, 401);
    const [entry] = (await tenant.api('GET', '/v1/audit?action=login.create')).body.entries;
    assert.deepEqual([entry.auth, entry.actor.id, entry.result], ['otp', tenant.id, 'ok']);
    assert.doesNotMatch(JSON.stringify(entry), new RegExp(cookie));
    assert.equal((await tenant.api('GET', '/v1/logins')).body.logins.length, 2);
  });

  it('can renew its token in all tabs at once, even if responses are lost', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { browser, me } = await signedIn(gateway, await gateway.signUp());
    const cookie = browser.cookie();
    const tabs = await Promise.all(Array.from({ length: 12 }, () => browser.refresh()));
    assert.deepEqual(new Set(tabs.map(({ status }) => status)), new Set([200]));
    for (const answer of tabs) noRefreshToken(answer);
    await gateway.clock.advance(60_000);
    const { status, body } = await browser.refresh();
    assert.equal(status, 200);
    for (const token of [body.token, tabs[0]?.body.token]) assert.equal(await me(token), 200);
    assert.equal(browser.cookie(), cookie, 'a late answer cannot put an older cookie over a newer one');
  });

  it('can be started with a second factor or with a passkey', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const { secret } = (await tenant.api('POST', '/v1/2fa/setup')).body;
    const app = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = (): string => app.generate({ timestamp: gateway.clock.now() });
    assert.equal((await tenant.api('POST', '/v1/2fa/enable', { code: code() })).status, 200);
    await gateway.clock.advance(30_000);

    const browser = aBrowser(gateway.api);
    const first = await browser.signIn(await freshCode(gateway, tenant));
    assert.deepEqual([first.status, first.body.two_factor_required, first.body.token], [200, true, undefined]);
    assert.equal(browser.cookie(), null, 'half a sign-in keeps nothing');
    const { challenge } = first.body;
    assert.equal((await browser.signIn({ challenge, code: '000000' })).status, 401);
    const second = await browser.signIn({ challenge, code: code() });
    assert.equal(second.status, 200, JSON.stringify(second.body));
    noRefreshToken(second);

    const authenticator = anAuthenticator(`http://localhost:${new URL(gateway.node.url).port}`);
    const api = gateway.as(second.body.token);
    const credential = authenticator.create((await api('POST', '/v1/passkeys/options')).body);
    assert.equal((await api('POST', '/v1/passkeys', { name: 'Laptop', credential })).status, 201);
    const said = authenticator.get((await gateway.api('POST', '/auth/passkey/options')).body);
    const other = aBrowser(gateway.api);
    const third = await other.signIn({ credential: said });
    assert.deepEqual([third.status, third.body.role], [200, 'admin']);
    noRefreshToken(third);
    assert.equal((await other.refresh()).status, 200);
  });

  it('ends when the user signs out and when the login behind it ends', async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const ended = async (what: string, how: (login: Awaited<ReturnType<typeof signedIn>>) => Promise<unknown>) => {
      const login = await signedIn(gateway, tenant);
      await how(login);
      assert.deepEqual([what, (await login.browser.refresh()).status], [what, 401]);
      assert.deepEqual([what, await login.me(login.answer.body.token)], [what, 401]);
    };
    const signedOut = await signedIn(gateway, tenant);
    const cookie = signedOut.browser.cookie();
    const answer = await signedOut.browser.signOut();
    assert.deepEqual([answer.status, answer.body, signedOut.browser.cookie()], [200, { ok: true }, '']);
    assert.equal((await gateway.api('POST', REFRESH, undefined, keeping(cookie))).status, 401);
    assert.equal(await signedOut.me(signedOut.answer.body.token), 401);
    assert.equal((await signedOut.browser.refresh()).status, 204, 'the cookie is gone');
    assert.equal((await signedOut.browser.signOut()).status, 200, 'signing out twice is no error');
    const [entry] = (await tenant.api('GET', '/v1/audit?action=login.end')).body.entries;
    assert.deepEqual([entry.actor.id, entry.target.kind, entry.result], [tenant.id, 'login', 'ok']);

    await ended('POST /auth/logout', ({ answer: { body } }) => gateway.as(body.token)('POST', '/auth/logout'));
    await gateway.clock.advance(15 * 60_000);
    await ended('somebody else signs in at this browser', async ({ browser }) =>
      gateway.api('POST', SESSION, await freshCode(gateway, tenant), keeping(browser.cookie())),
    );
    await ended('DELETE /v1/logins/{id}', async () => {
      const { logins } = (await tenant.api('GET', '/v1/logins')).body;
      for (const { id, current } of logins) if (!current) await tenant.api('DELETE', `/v1/logins/${id}`);
    });
    await ended('the account is deleted', () => tenant.api('DELETE', '/v1/account', { confirm: true }));
  });

  it('is rejected with a clear reason if the cookie, the site or the body is invalid', async (t) => {
    const { api } = await aGateway(t, { kind });
    const status = async (method: string, path: string, body?: unknown, headers = {}) =>
      (await api(method, path, body, { ...PAGE, ...headers })).status;
    assert.equal(await status('POST', REFRESH), 204);
    for (const value of ['x', 'a'.repeat(78), Buffer.from('01JZX5ZB4T8QKX3N9V7C2M6D1Ex').toString('base64url')])
      assert.equal(await status('POST', REFRESH, undefined, { cookie: `__Host-gateway=${value}` }), 401);

    const calls = [
      ['POST', SESSION],
      ['DELETE', SESSION],
      ['POST', REFRESH],
    ] as const;
    for (const [method, path] of calls) {
      for (const site of ['cross-site', 'same-site', 'nonsense'])
        assert.equal(await status(method, path, {}, { 'sec-fetch-site': site }), 403, `${method} ${path} from ${site}`);
      const old = (origin: string) => api(method, path, { no: 1 }, { origin });
      assert.equal((await old('https://elsewhere.example')).status, 403);
      assert.equal((await old('null')).status, 403);
      const form = await api(method, path, 'phone=1', { ...PAGE, 'content-type': 'application/x-www-form-urlencoded' });
      assert.equal(form.status, 415);
      assert.equal(await status(method, path, 'nonsense'), 400);
    }
    const credential = { id: 'x' };
    for (const body of [{}, { code: '123456' }, { phone: '+6281100009999' }, { phone: '+6281100009999', code: '1234567' }, { credential }])
      assert.equal(await status('POST', SESSION, body), 400, JSON.stringify(body));
    assert.equal(await status('POST', SESSION, { phone: '+6281100009999', code: '123456' }), 401);
  });
});

eachStore('a browser session behind a load balancer', (kind) => {
  it('is valid on every node, and ends on all nodes at once', async (t) => {
    const cluster = await aCluster(t, kind, {});
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const tenant = await a!.signUp();
    const browser = aBrowser(a!.api);
    const answer = await browser.signIn(await freshCode(a!, tenant));
    assert.equal(answer.status, 200);
    const at = (api: Api) => api('POST', REFRESH, undefined, keeping(browser.cookie()));
    const both = await Promise.all([at(a!.api), at(b!.api), at(a!.api), at(b!.api)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    for (const { body } of both) assert.equal((await b!.as(body.token)('GET', '/v1/me')).status, 200);
    assert.equal((await b!.api('DELETE', SESSION, undefined, keeping(browser.cookie()))).status, 200);
    for (const { api } of [a!, b!]) assert.equal((await at(api)).status, 401);
  });
});
