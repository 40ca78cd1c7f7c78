import assert from 'node:assert/strict';
import { it } from 'node:test';
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

it('answers the requests of the node for WAHA', async (t) => {
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
