import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';

const APP = 'https://app.example.com';
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' };

it('only pages from configured origins may call /v1 and /mcp', async (t) => {
  const gateway = await aGateway(t, { kind: embedded, config: { cors_origins: [APP] } });
  const { api } = await gateway.signUp();
  const asked = await gateway.api('OPTIONS', '/v1/templates', undefined, { origin: APP, ...PREFLIGHT });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers.get('access-control-allow-origin'), APP);
  assert.match(asked.headers.get('access-control-allow-headers') ?? '', /Authorization/);
  assert.match(asked.headers.get('access-control-allow-methods') ?? '', /PATCH/);
  assert.equal(asked.headers.get('access-control-allow-credentials'), null);
  const answer = await api('GET', '/v1/templates', undefined, { origin: APP });
  assert.deepEqual([answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')], [APP, 'Origin']);
  const refused = await gateway.api('GET', '/v1/templates', undefined, { origin: APP });
  assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [401, APP], 'an app reads why it is refused');

  const stream = await fetch(`${gateway.node.url}/v1/events`, {
    headers: { origin: APP, authorization: `Bearer ${await tokenOf(gateway)}` },
  });
  assert.deepEqual([stream.status, stream.headers.get('access-control-allow-origin')], [200, APP]);
  await stream.body?.cancel();

  const headersFor = async (path: string, origin: string, method = 'OPTIONS') =>
    (await gateway.api(method, path, undefined, { origin, ...PREFLIGHT })).headers.get('access-control-allow-origin');
  assert.equal(await headersFor('/mcp', APP), APP);
  assert.equal(await headersFor('/v1/templates', 'https://app.example.com.evil.example'), null);
  assert.equal(await headersFor('/v1/templates', 'null'), null);
  assert.equal(await headersFor('/auth/verify-otp', APP), null);
  assert.equal(await headersFor('/v1/admin/tenants', APP), null);
});

it('pages from any other origin are rejected if no origins are configured', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { status, headers } = await gateway.api('OPTIONS', '/v1/templates', undefined, { origin: APP, ...PREFLIGHT });
  assert.deepEqual([status, headers.get('access-control-allow-origin')], [405, null]);
});

const tokenOf = async (gateway: Awaited<ReturnType<typeof aGateway>>): Promise<string> =>
  (await gateway.signUp('Globex', '+62 811-0000-5555')).tokens.token;
