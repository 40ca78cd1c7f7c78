import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LimitsInMemory } from '../../http/limits/limits.ts';
import { credentialFor } from '../actors/network/passkeys.ts';
import { aCluster } from '../support/cluster.ts';
import { type Api, aGateway, type Gateway, type Tenant } from '../support/gateway.ts';
import { aLog } from '../support/log.ts';
import { eachStore, embedded, type Scope } from '../support/stores.ts';

const PHONE = '6281100000002';
const NETWORK = 'https://web.whatsapp.com';

eachStore('the passkey ceremony', (kind) => {
  it("can link a device from a page that knows only the ceremony's token", async (t) => {
    const { gateway, api, path, asked } = await aCeremony(t, { kind });
    const { ceremony, options } = asked;
    assert.match(ceremony.token, /^[\w-]{43}$/, '256 bits');
    assert.equal(ceremony.url, `${gateway.node.url}/passkey-ceremony/${ceremony.token}`);
    assert.ok(ceremony.expires_at - gateway.clock.now() <= 600_000);
    assert.deepEqual((await api('GET', `${path}/passkey`)).body.ceremony, ceremony, 'the same token, however often it is asked for');

    const { get, post } = page(gateway, ceremony.token);
    const shown = { business: 'Acme', device: 'Front desk', expires_at: ceremony.expires_at };
    assert.deepEqual((await get()).body, { stage: 'challenge', public_key: options, code: null, ...shown });
    assert.equal((await post({ confirmed: true })).body.code, 'CONFLICT');
    const wrong = await gateway.during(post({ credential: credentialFor('bm90IHRoaXM') }));
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'VALIDATION_FAILED']);
    assert.equal((await get()).body.stage, 'challenge', 'another passkey may be tried');

    const taken = await gateway.during(post({ credential: credentialFor(options.challenge) }));
    assert.equal(taken.status, 202);
    const { code } = await gateway.until('a code to compare', async () => {
      const { body } = await get();
      return body.stage === 'confirm' && body;
    });
    assert.match(code, /^\w{4}-\w{4}$/);
    assert.equal((await post({ credential: credentialFor(options.challenge) })).body.code, 'CONFLICT', 'one passkey, and no other');
    assert.equal((await gateway.during(post({ confirmed: true }))).status, 202);
    await gateway.until('it is online', async () => (await api('GET', path)).body.status === 'connected');
    assert.deepEqual((await get()).body, { stage: 'done', public_key: null, code: null, ...shown });
    assert.equal((await post({ confirmed: true })).status, 404);
    await gateway.clock.advanceTo(ceremony.expires_at);
    assert.equal((await get()).status, 404);
  });

  it('fails after a restart, and can then be started again with a new token', async (t) => {
    const { gateway, acme, id, asked, path } = await aCeremony(t, { kind });
    const next = await gateway.crash();
    const api = next.as(acme.tokens.token);
    await asksFor(next, api, path);
    const old = page(next, asked.ceremony.token);
    assert.equal((await old.get()).body.stage, 'failed');
    assert.equal((await old.post({ credential: credentialFor(asked.options.challenge) })).status, 404);
    const again = (await api('GET', `/v1/sessions/${id}/passkey`)).body;
    assert.notEqual(again.ceremony.token, asked.ceremony.token);
    assert.equal((await page(next, again.ceremony.token).get()).body.stage, 'challenge');
  });
});

describe("a passkey ceremony's token", () => {
  it('allows 30 calls a minute, and never appears in logs, audit entries or sessions', async (t) => {
    const { log, text } = aLog();
    const { gateway, api, path, asked } = await aCeremony(t, { kind: embedded, limits: new LimitsInMemory(), log });
    const { get, post } = page(gateway, asked.ceremony.token);
    await gateway.during(post({ credential: credentialFor(asked.options.challenge) }));
    for (let nth = 1; nth < 30; nth++) assert.equal((await get()).status, 200);
    const refused = await get();
    assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED']);
    const seen = [text(), (await api('GET', '/v1/audit')).body, (await api('GET', path)).body];
    assert.ok(!JSON.stringify(seen).includes(asked.ceremony.token));
    assert.match(text(), /passkey-ceremony\/\{token\}/);
    // Of the 300 calls a minute from one network 31 are made.
    const unknown = page(gateway, 'x'.repeat(43));
    for (let nth = 31; nth < 300; nth++) assert.equal((await unknown.get()).status, 404);
    assert.equal((await unknown.get()).status, 429);
  });

  it('is shown only to callers who may link phones, and stops working if its business is suspended', async (t) => {
    const { gateway, acme, api, path, asked } = await aCeremony(t, { kind: embedded });
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    assert.equal((await globex.api('GET', `${path}/passkey`)).status, 404);
    const { key } = (await api('POST', '/v1/api-keys', { name: 'reads', scopes: ['read', 'send'] })).body;
    assert.equal((await gateway.as(key)('GET', `${path}/passkey`)).status, 403);

    const { get } = page(gateway, asked.ceremony.token);
    assert.equal((await page(gateway, `${asked.ceremony.token.slice(0, -1)}_`).get()).status, 404);
    assert.equal((await page(gateway, 'short').get()).status, 404);
    await gateway.operator('PATCH', `/v1/admin/tenants/${acme.id}`, { suspended: true });
    assert.equal((await get()).status, 404);
  });

  it('works on a node that does not run the device', async (t) => {
    const cluster = await aCluster(t, embedded);
    const [here, there] = [await cluster.node('a'), await cluster.node('b')];
    const acme = await here.signUp();
    const { path, asked } = await begun(here, acme);
    const { get, post } = page(there, asked.ceremony.token);
    assert.equal((await get()).body.stage, 'challenge');
    await there.during(post({ credential: credentialFor(asked.options.challenge) }));
    await there.until('a code', async () => (await get()).body.stage === 'confirm');
    assert.equal((await there.during(post({ confirmed: true }))).status, 202);
    await here.until('it is online', async () => (await acme.api('GET', path)).body.status === 'connected');
    assert.equal((await get()).body.stage, 'done');
  });
});

describe('a page that calls the passkey ceremony', () => {
  it("must have the network's origin, and cannot call other endpoints", async (t) => {
    const APP = 'https://app.example.com';
    const { gateway, api, asked } = await aCeremony(t, { kind: embedded, config: { cors_origins: [APP] } });
    const path = `/passkey-ceremony/${asked.ceremony.token}`;
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    const before = await gateway.api('OPTIONS', path, undefined, { origin: NETWORK, ...preflight });
    assert.equal(before.status, 204);
    assert.equal(before.headers.get('access-control-allow-origin'), NETWORK);
    assert.equal(before.headers.get('access-control-allow-methods'), 'GET, POST');
    assert.equal(before.headers.get('access-control-allow-headers'), 'Content-Type');
    assert.equal(before.headers.get('access-control-allow-credentials'), null);

    const allowed = async (call: Api, at: string, origin: string) =>
      (await call('GET', at, undefined, { origin })).headers.get('access-control-allow-origin');
    assert.equal(await allowed(gateway.api, path, NETWORK), NETWORK);
    assert.equal(await allowed(gateway.api, '/passkey-ceremony/unknown', NETWORK), NETWORK, 'a page reads that it ended');
    for (const origin of [APP, 'null', 'https://whatsapp.com', `${NETWORK}.evil.example`, 'http://web.whatsapp.com'])
      assert.equal(await allowed(gateway.api, path, origin), null, origin);
    for (const other of ['/v1/sessions', '/health', '/passkey-ceremony', '/auth/passkey/options'])
      assert.equal(await allowed(api, other, NETWORK), null, other);
    assert.equal((await api('POST', '/mcp', {}, { origin: NETWORK })).status, 403);
    const elsewhere = await gateway.api('OPTIONS', '/v1/sessions', undefined, { origin: NETWORK, ...preflight });
    assert.equal(elsewhere.headers.get('access-control-allow-origin'), null);
  });
});

type Options = Parameters<typeof aGateway>[1];

async function aCeremony(t: Scope, options: Options) {
  const gateway = await aGateway(t, options);
  const acme = await gateway.signUp();
  return { gateway, acme, api: acme.api, ...(await begun(gateway, acme)) };
}

/** A device of which the network asks a passkey. */
async function begun(gateway: Gateway, { api }: Tenant) {
  gateway.sandbox.phone(PHONE).set({ passkey: true });
  const { id } = (await api('POST', '/v1/sessions', { name: 'Front desk' })).body;
  const path = `/v1/sessions/${id}`;
  await api('POST', `${path}/connect`);
  return { id, path, asked: await asksFor(gateway, api, path) };
}

/** Its phone scans the code. */
async function asksFor(gateway: Gateway, api: Api, path: string) {
  const qr = await gateway.until('a code', async () => (await api('GET', `${path}/qr`)).body.qr);
  gateway.sandbox.phone(PHONE).scan({ qr });
  return gateway.until('a passkey is asked for', async () => {
    const { status, body } = await api('GET', `${path}/passkey`);
    return status === 200 && body;
  });
}

/** A page of the network that knows the token. */
function page({ api }: Gateway, token: string) {
  const call = (method: string, body?: object) => api(method, `/passkey-ceremony/${token}`, body, { origin: NETWORK });
  return { get: () => call('GET'), post: (body: object) => call('POST', body) };
}
