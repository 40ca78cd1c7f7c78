import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { createSandbox } from '../../actors/network/sandbox/sandbox.ts';
import { sandbox } from '../../http/areas/sandbox.ts';
import { bind } from '../../http/mount.ts';
import { systemClock } from '../../runtime/clock.ts';
import { aServer } from './sample.ts';

const network = createSandbox({ clock: systemClock });
const web = await aServer({ areas: [bind(sandbox, sandboxVerbs(network))] });
after(() => web[Symbol.asyncDispose]());

const PHONE = '6281234567890';

/** A device of a gateway, showing a code to scan and then logged in; gives its credentials once linked. */
async function showCode(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  network.network().open({ deviceId: 'D1', credentials: null, proxyUrl: null }, (event) => event.type === 'qr' && resolve(event.qr));
  return promise;
}

it('a phone links the device whose code it scans, once', async () => {
  const qr = await showCode();
  const scan = () => web.post(`/sandbox/phones/${PHONE}/scan`, { qr });
  assert.deepEqual((await scan()).body, { ok: true });
  assert.ok((await scan()).status >= 400);
  assert.equal((await web.post(`/sandbox/phones/${PHONE}/scan`, {})).body.code, 'VALIDATION_FAILED');
});

it('a phone writes to another and reads what it received', async () => {
  const written = await web.post('/sandbox/phones/6281111111111/messages', { to: PHONE, body: 'Hello' });
  assert.deepEqual([written.status, written.body.type, written.body.body], [201, 'text', 'Hello']);
  const { body } = await web.get(`/sandbox/phones/${PHONE}/messages?limit=5`);
  assert.ok(Array.isArray(body.messages));
  const { entries, next } = (await web.get('/sandbox/journal?after=0')).body;
  assert.ok(entries.some(({ what }: { what: string }) => what === 'wrote'));
  assert.equal(next, entries.at(-1).seq);
});

it('phones that are put into a group write to it; others cannot', async () => {
  const { status, body } = await web.post('/sandbox/groups', { members: ['+6281111111111', PHONE] });
  assert.equal(status, 201);
  assert.match(body.group, /@g\.us$/);
  const write = (phone: string) => web.post(`/sandbox/phones/${phone}/messages`, { to: body.group, body: 'Hello all' });
  assert.equal((await write('6281111111111')).status, 201);
  assert.equal((await write('6282222222222')).body.code, 'NOT_FOUND');
  assert.equal((await web.post('/sandbox/groups', { members: [] })).body.code, 'VALIDATION_FAILED');
});

it('a phone is turned off, and a device is given trouble', async () => {
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
    lid: false,
    tells_number: true,
    passkey: true,
  });
  assert.equal((await web.post(`/sandbox/devices/${PHONE}/fault`, { kind: 'melt' })).body.code, 'VALIDATION_FAILED');
  assert.equal((await web.post(`/sandbox/devices/${PHONE}/fault`, { kind: 'slow', for_ms: 5 })).status, 200);
});

it('to callers from elsewhere the sandbox does not exist', async () => {
  const answer = await web.get('/sandbox/journal', { 'x-forwarded-for': '203.0.113.9' });
  assert.deepEqual([answer.status, answer.body.code], [404, 'NOT_FOUND']);
});
