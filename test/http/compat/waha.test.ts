import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { COMPAT_DOORS } from '../../../http/compat/doors.ts';
import { PLACES } from '../../../http/openapi/client/gateway.generated.ts';
import { ANNA, PHONE } from '../../support/gateway.ts';
import { aDoor, holds, recorded, replay, VOICE } from './replays.ts';

const WHO = `${ANNA}@c.us`;
const own = { from: WHO, fromMe: true };

/** These calls answer after time has passed on the network. */
const WAITS = /Reaction|Seen|Typing|Check|Session/;

/** By the recorded request: the status, and what the answer holds at least. */
const ANSWERS: Readonly<Record<string, readonly [number, unknown]>> = {
  'credential test': [200, [{ name: 'shop', status: 'WORKING', me: { id: `${PHONE}@c.us` } }]],
  'Send Text': [201, { ...own, body: 'Hi there!', hasMedia: false }],
  'Send Text reply': [201, own],
  'Send Image': [201, { ...own, hasMedia: true, media: { mimetype: 'image/png' } }],
  'Send File': [201, { ...own, media: { filename: 'price.png' } }],
  'Send Voice': [201, { ...own, hasMedia: true }],
  'Send Poll': [201, { ...own, body: 'How are you?' }],
  'Send Location': [201, own],
  'Send Contact Vcard': [201, { ...own, body: 'Jane Doe' }],
  Reaction: [200, { success: true }],
  'Send Seen': [201, { success: true }],
  'Start Typing': [201, { result: true }],
  'Stop Typing': [201, { result: true }],
  'Check Exists': [200, { numberExists: true, chatId: WHO }],
  'Get Messages': [200, [{ from: WHO }]],
  'Get Session': [200, { name: 'shop', status: 'WORKING' }],
  'Create Session': [201, { name: 'branch', status: 'STARTING' }],
  Screenshot: [501, { statusCode: 501, code: 'NOT_TRANSLATED' }],
  'Stop Session': [201, { name: 'shop', status: 'STOPPED' }],
};

it("the WAHA interface responds to requests from n8n's WAHA node", async (t) => {
  const { gateway, tenant, device, key, call, received } = await aDoor(t, 'waha', 'x-api-key');
  const words = { INSTANCE: 'shop', RECEIVED_ID: received.wa_message_id, AUDIO_BASE64: VOICE, '"KEY"': `"${key}"` };
  const requests = recorded('waha', words);
  assert.deepEqual(requests.map(({ name }) => name).toSorted(), Object.keys(ANSWERS).toSorted());
  for (const request of requests) {
    const { status, body } = await (WAITS.test(request.name) ? gateway.during(replay(call, request)) : replay(call, request));
    const [expected, part] = ANSWERS[request.name] ?? [0, {}];
    assert.equal(status, expected, `${request.name}: ${JSON.stringify(body)}`);
    holds(body, part, request.name);
  }
  const log = (await tenant.api('GET', `${device.path}/messages?limit=50`)).body.messages;
  const quoting = log.find((one: { body: string }) => one.body === 'As you asked');
  assert.equal((await device.message(quoting.id)).reply_to, received.id);
  holds((await device.message(received.id)).reactions, [{ emoji: '👍' }], 'reactions');
  holds(
    await call('POST', '/api/sendText', { session: 'nobody', chatId: WHO, text: 'x' }),
    { status: 404, body: { statusCode: 404 } },
    'error',
  );
});

it("the WAHA interface delivers a device's events with WAHA's format and signature", async (t) => {
  const { gateway, call, receiver } = await aDoor(t, 'waha', 'x-api-key');
  const hmac = { key: 'a secret that only the two of us know' };
  const webhook = { url: `${receiver.url}/waha`, events: ['*'], hmac };
  const refused = { name: 'other', config: { webhooks: [{ ...webhook, customHeaders: [{ name: 'a', value: 'b' }] }] } };
  assert.equal((await call('POST', '/api/sessions', refused)).status, 400);
  const blocked = { name: 'branch', config: { webhooks: [webhook, { ...webhook, url: 'https://10.0.0.1/waha' }] } };
  assert.equal((await call('POST', '/api/sessions', blocked)).body.code, 'WEBHOOK_URL_BLOCKED');
  const started = { name: 'branch', start: true, config: { webhooks: [webhook] } };
  assert.equal((await gateway.during(call('POST', '/api/sessions', started))).status, 201);
  const code = await gateway.until('a code', async () => (await call('GET', '/api/branch/auth/qr?format=raw')).body.value);
  gateway.sandbox.phone('6281100000005').scan({ qr: code });
  await gateway.until('it works', async () => (await call('GET', '/api/sessions/branch')).body.status === 'WORKING');
  gateway.sandbox.phone(ANNA).write({ to: '6281100000005', content: { type: 'text', body: 'Hi' }, quotes: null });
  await call('POST', '/api/sendText', { session: 'shop', chatId: WHO, text: 'not of this device' });
  await call('POST', '/api/sendText', { session: 'branch', chatId: WHO, text: 'Hello', reply_to: null });
  await gateway.until('it was read', () => receiver.received.some(({ body }) => body.payload.ackName === 'READ'));
  for (const { raw, headers, body } of receiver.received) {
    assert.equal(headers['x-webhook-hmac'], createHmac('sha512', hmac.key).update(raw).digest('hex'));
    assert.equal(body.session, 'branch');
  }
  const bodies = receiver.received.map(({ body }) => body);
  const asked = bodies.find(({ event }) => event === 'message');
  holds(asked.payload, { from: WHO, fromMe: false, body: 'Hi', hasMedia: false }, 'payload');
  assert.match(asked.payload.id, new RegExp(`^false_${WHO}_\\w+$`));
  const kinds = bodies.map(({ event, payload }) => `${event} ${payload.status ?? payload.ackName ?? payload.source ?? ''}`.trim());
  const wanted = ['session.status SCAN_QR_CODE', 'session.status WORKING', 'message', 'message.any api', 'message.ack READ'];
  assert.deepEqual(
    wanted.filter((kind) => !kinds.includes(kind)),
    [],
    kinds.join(', '),
  );
});

it('errors for rejected WAHA and Evolution calls suggest only operations that exist', () => {
  const places = new Set(Object.values(PLACES).map((place) => place.join(' ')));
  for (const { table } of Object.values(COMPAT_DOORS))
    for (const one of table)
      for (const [place] of 'instead' in one ? one.instead.matchAll(/(GET|POST|PUT|PATCH|DELETE) \/v1\/[\w{}/-]+/g) : [])
        assert.ok(places.has(place), `${one.path}: ${place}`);
});
