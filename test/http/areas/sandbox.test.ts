import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, it } from 'node:test';
import { sandboxVerbs } from '../../../actors/network/sandbox/api.ts';
import { createSandbox } from '../../../actors/network/sandbox/sandbox.ts';
import { sandbox } from '../../../http/areas/sandbox/rows.ts';
import { bind } from '../../../http/core/bind.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { isSandboxServed, readConfig } from '../../../scripts/wiring/config.ts';
import { aServer, type Sample } from '../../support/http-sample.ts';

const network = createSandbox({ clock: systemClock });
let web: Sample;

before(async () => {
  web = await aServer({ areas: [bind(sandbox, sandboxVerbs(network))] });
});
after(() => web[Symbol.asyncDispose]());

const PHONE = '6281234567890';

/** A device of a gateway, showing a code to scan and then logged in; gives its credentials once linked. */
async function showCode(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  network.network().open({ deviceId: 'D1', credentials: null, proxyUrl: null }, (event) => event.type === 'qr' && resolve(event.qr));
  return promise;
}

it('a sandbox phone links a device by scanning its code, and no code works twice', async () => {
  const qr = await showCode();
  const scan = () => web.post(`/sandbox/phones/${PHONE}/scan`, { qr });
  assert.deepEqual((await scan()).body, { ok: true });
  assert.ok((await scan()).status >= 400);
  assert.equal((await web.post(`/sandbox/phones/${PHONE}/scan`, {})).body.code, 'VALIDATION_FAILED');
});

it('a sandbox phone sends messages to other phones, and lists the messages it received', async () => {
  const written = await web.post('/sandbox/phones/6281111111111/messages', { to: PHONE, body: 'Hello' });
  assert.deepEqual([written.status, written.body.type, written.body.body], [201, 'text', 'Hello']);
  const { body } = await web.get(`/sandbox/phones/${PHONE}/messages?limit=5`);
  assert.ok(Array.isArray(body.messages));
  const { entries, next } = (await web.get('/sandbox/journal?after=0')).body;
  assert.ok(entries.some(({ what }: { what: string }) => what === 'wrote'));
  assert.equal(next, entries.at(-1).seq);
});

it('a sandbox group accepts messages only from its members', async () => {
  const { status, body } = await web.post('/sandbox/groups', { members: ['+6281111111111', PHONE] });
  assert.equal(status, 201);
  assert.match(body.group, /@g\.us$/);
  const write = (phone: string) => web.post(`/sandbox/phones/${phone}/messages`, { to: body.group, body: 'Hello all' });
  assert.equal((await write('6281111111111')).status, 201);
  assert.equal((await write('6282222222222')).body.code, 'NOT_FOUND');
  assert.equal((await web.post('/sandbox/groups', { members: [] })).body.code, 'VALIDATION_FAILED');
});

it('a sandbox phone can be turned off, and faults can be injected into its devices', async () => {
  const answer = await fetch(`${web.server.url}/sandbox/phones/${PHONE}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ online: false, name: 'Budi', passkey: true }),
  });
  assert.deepEqual(await answer.json(), {
    phone: PHONE,
    online: false,
    reads: true,
    on_network: true,
    name: 'Budi',
    about: '',
    lid: false,
    tells_number: true,
    told_number: null,
    number_forms: [],
    username: null,
    username_key: null,
    saved_as: null,
    passkey: true,
    addable: true,
    business: true,
  });
  assert.equal((await web.post(`/sandbox/devices/${PHONE}/fault`, { kind: 'melt' })).body.code, 'VALIDATION_FAILED');
  assert.equal((await web.post(`/sandbox/devices/${PHONE}/fault`, { kind: 'slow', for_ms: 5 })).status, 200);
});

it('the sandbox returns 404 to remote callers', async () => {
  const answer = await web.get('/sandbox/journal', { 'x-forwarded-for': '203.0.113.9' });
  assert.deepEqual([answer.status, answer.body.code], [404, 'NOT_FOUND']);
});

it('the sandbox treats callers that use a proxy or another host name as remote', async () => {
  const { hostname, port } = new URL(web.server.url);
  const asked = async (headers: Record<string, string>): Promise<number | undefined> => {
    const [response] = await once(request({ hostname, port, path: '/sandbox/journal', headers }).end(), 'response');
    response.resume();
    return response.statusCode;
  };
  for (const host of ['localhost', `localhost:${port}`, `127.0.0.1:${port}`, '[::1]:8080']) assert.equal(await asked({ host }), 200, host);
  for (const host of ['gateway.example.com', 'localhost.example.com', '10.0.0.1', '127.0.0.1.example.com', `0.0.0.0:${port}`])
    assert.equal(await asked({ host }), 404, host);
  for (const name of ['via', 'forwarded', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'cf-connecting-ip'])
    assert.equal(await asked({ host: 'localhost', [name]: '' }), 404, name);
});

it('the sandbox is disabled on a publicly reachable gateway unless it is explicitly enabled', () => {
  const isServed = (env: NodeJS.ProcessEnv) => isSandboxServed(readConfig(env, '/nowhere'));
  assert.ok(isServed({}));
  assert.ok(isServed({ HOST: '::1', BASE_URL: 'http://localhost:8080' }));
  for (const env of [{ HOST: '0.0.0.0' }, { HOST: '192.168.1.5' }, { BASE_URL: 'https://gateway.example.com' }]) {
    assert.equal(isServed(env), false, JSON.stringify(env));
    assert.ok(isServed({ ...env, SANDBOX_PUBLIC: '1' }));
  }
});

it('a sandbox phone signs with its passkey, and rejects a code that the screen does not show', async () => {
  const act = (body: object) => web.post(`/sandbox/phones/${PHONE}/acts`, body);
  const { status, body } = await act({ act: 'sign_passkey', options: { challenge: 'Y2hhbGxlbmdl', rpId: 'web.whatsapp.com' } });
  assert.deepEqual([status, body.ok, body.credential.type], [200, true, 'public-key']);
  for (const wrong of [{ act: 'sign_passkey' }, { act: 'sign_passkey', options: {} }, { act: 'confirm_passkey' }])
    assert.equal((await act(wrong)).body.code, 'VALIDATION_FAILED');
  assert.equal((await act({ act: 'confirm_passkey', code: 'ABCD-1234' })).status, 409);
});
