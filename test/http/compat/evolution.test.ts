import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LimitsInMemory } from '../../../http/limits/limits.ts';
import { readConfig } from '../../../scripts/wiring/config.ts';
import { ANNA, aGateway, calling, PHONE } from '../../support/gateway.ts';
import { NEVER_FULL } from '../../support/limits.ts';
import { embedded } from '../../support/stores.ts';
import { aDoor, holds, recorded, replay, VOICE, withKey } from './replays.ts';

/** These calls answer after time has passed on the network. */
const WAITS = /instances-api|send-reaction|(update|delete)-message|profile|check-number|presence|read-messages/;
const JID = `${ANNA}@s.whatsapp.net`;
const own = { remoteJid: JID, fromMe: true };
const FILE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

const HOOKED = ['MESSAGES_UPSERT', 'SEND_MESSAGE', 'MESSAGES_UPDATE', 'CONNECTION_UPDATE', 'QRCODE_UPDATED'];

/** By the recorded request: the status, and what the answer holds at least. */
const ANSWERS: Readonly<Record<string, readonly [number, unknown]>> = {
  'credential test': [200, [{ name: 'shop', connectionStatus: 'open', number: PHONE, token: null }]],
  'instances-api instance-basic': [201, { instance: { instanceName: 'branch', status: 'connecting' }, qrcode: { count: 1 } }],
  'instances-api instance-connect': [200, { pairingCode: null, count: 1 }],
  'instances-api fetch-instances': [200, [{ name: 'branch', connectionStatus: 'connecting' }, { name: 'shop' }]],
  'messages-api send-text': [201, { key: own, messageType: 'conversation' }],
  'messages-api send-image': [201, { key: own, messageType: 'imageMessage', message: { imageMessage: { caption: 'The menu' } } }],
  'messages-api send-document': [
    201,
    { key: own, messageType: 'documentMessage', message: { documentMessage: { fileName: 'price.png' } } },
  ],
  'messages-api send-audio': [201, { key: own, messageType: 'audioMessage', message: { audioMessage: {} } }],
  'messages-api send-poll': [201, { message: { pollCreationMessage: { name: 'When?', options: [{ optionName: 'Tuesday' }] } } }],
  'messages-api send-contact': [201, { message: { contactMessage: { displayName: 'Rina' } } }],
  'messages-api send-reaction': [201, { messageType: 'reactionMessage', message: { reactionMessage: { text: '👍' } } }],
  'messages-api send-buttons': [501, { status: 501, error: 'Not Implemented', response: { code: 'NOT_TRANSLATED' } }],
  'chat-api check-number': [
    200,
    [
      { jid: JID, exists: true, number: ANNA },
      { exists: true, number: '6281211110777' },
    ],
  ],
  'chat-api read-messages': [201, { read: 'success' }],
  'chat-api send-presence': [201, { presence: 'composing' }],
  'chat-api get-media-base64': [201, { mediaType: 'imageMessage', mimetype: 'image/png' }],
  'chat-api find-messages': [200, { messages: { currentPage: 1, records: [{ key: { remoteJid: JID } }] } }],
  'chat-api find-chats': [200, [{ remoteJid: JID }]],
  'chat-api find-contacts': [200, [{ remoteJid: JID }]],
  'chat-api fetch-profile-picture': [200, { wuid: JID, profilePictureUrl: null }],
  'chat-api update-message': [200, { key: own, message: { conversation: 'We open at 10' } }],
  'chat-api delete-message': [201, { status: 'DELETED' }],
  'profile-api fetch-profile': [200, { wuid: JID, numberExists: true, isBusiness: true }],
  'instances-api restart-instance': [200, { instance: { instanceName: 'shop' } }],
  'events-api webhook set': [201, { enabled: true, events: HOOKED }],
  'events-api webhook find': [200, { enabled: true, events: HOOKED, webhookByEvents: false }],
  'integrations-api chatwoot': [501, { response: { code: 'NOT_TRANSLATED' } }],
  'instances-api logout-instance': [200, { status: 'SUCCESS', error: false }],
  'instances-api delete-instance': [200, { status: 'SUCCESS', error: false }],
};

it('the Evolution interface responds to requests recorded from the n8n nodes', async (t) => {
  const { gateway, tenant, device, key, call, received, receiver } = await aDoor(t, 'evolution', 'apikey');
  const sentId = async (body: string) => {
    const id = await device.text(ANNA, body);
    return gateway.until('it is out', async () => (await device.message(id)).wa_message_id);
  };
  const image = (await call('POST', '/message/sendMedia/shop', { number: ANNA, mediatype: 'image', media: FILE })).body.key.id;
  const words = {
    ...{
      INSTANCE: 'shop',
      AUDIO_BASE64: VOICE,
      RECEIVED_ID: received.wa_message_id,
      IMAGE_ID: image,
      TEXT_ID: await sentId('We open at 8'),
    },
    ...{ WEBHOOK_URL: `${receiver.url}/flow`, '"KEY"': `"${key}"` },
  };
  const missing: string[] = [];
  for (const request of recorded('evolution', words)) {
    const { status, body } = await (WAITS.test(request.name) ? gateway.during(replay(call, request)) : replay(call, request));
    const [expected, part] = ANSWERS[request.name] ?? [0, {}];
    if (expected === 0) missing.push(request.name);
    assert.equal(status, expected, `${request.name}: ${JSON.stringify(body)}`);
    holds(body, part, request.name);
    if (request.name === 'chat-api get-media-base64') assert.ok(body.base64.length > 50 && body.size.fileLength > 50);
    if (request.name === 'instances-api instance-basic') assert.equal(body.hash, key);
    if (request.name === 'instances-api instance-connect') assert.match(body.base64, /^data:image\/png;base64,iVBOR/);
  }
  assert.deepEqual(missing, []);
  const log = (await tenant.api('GET', `${device.path}/messages?limit=50`)).body.messages;
  const quoting = log.find((one: { body: string }) => one.body === 'As you asked');
  assert.equal((await device.message(quoting.id)).reply_to, received.id);
  assert.deepEqual(
    (await device.message(received.id)).reactions.map((one: { emoji: string }) => one.emoji),
    ['👍'],
  );
});

it("the Evolution interface delivers a device's events in Evolution's format", async (t) => {
  const { gateway, device, call, received, receiver, tenant } = await aDoor(t, 'evolution', 'apikey');
  const url = `${receiver.url}/flow`;
  assert.equal((await call('POST', '/webhook/set/shop', { webhook: { enabled: true, url, events: [], byEvents: true } })).status, 400);
  assert.equal((await call('POST', '/webhook/set/shop', { webhook: { url, events: ['PRESENCE_UPDATE'] } })).status, 400);
  assert.equal((await call('POST', '/webhook/set/shop', { webhook: { enabled: true, url, events: [] } })).status, 201);
  assert.equal((await tenant.api('GET', '/v1/webhooks')).body.webhooks.length, 1);
  const other = (await tenant.api('POST', '/v1/sessions', { name: 'branch' })).body.id;
  await tenant.api('POST', `/v1/sessions/${other}/connect`);

  gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'How much is it?' }, quotes: received.wa_message_id });
  const sent = (await call('POST', '/message/sendText/shop', { number: ANNA, text: 'Ten' })).body.instanceId;
  assert.equal(sent, device.id);
  await gateway.until('the answer was read', () => receiver.received.some(({ body }) => body.data.status === 'READ'));
  await gateway.during(call('POST', '/instance/restart/shop'));
  await gateway.until('it is back', () => receiver.received.some(({ body }) => body.data.state === 'open'));
  const bodies = receiver.received.map(({ body }) => body);
  for (const body of bodies)
    holds(body, { instance: 'shop', server_url: 'https://gateway.example.com/compat/evolution', apikey: null, destination: url }, 'body');
  const [asked] = bodies.filter(({ event }) => event === 'messages.upsert');
  const theirs = { remoteJid: JID, fromMe: false };
  holds(asked.data, { key: theirs, messageType: 'conversation', message: { conversation: 'How much is it?' } }, 'data');
  const kinds = bodies.map(({ event, data }) => `${event} ${data.status ?? data.state ?? ''}`.trim());
  assert.deepEqual(
    [
      'messages.upsert DELIVERY_ACK',
      'send.message SERVER_ACK',
      'messages.update DELIVERY_ACK',
      'messages.update READ',
      'connection.update open',
    ].filter((kind) => !kinds.includes(kind)),
    [],
    kinds.join(', '),
  );
});

it("the Evolution interface gives a key the same rights as it has on the gateway's own endpoints", async (t) => {
  const limits = new LimitsInMemory();
  const gateway = await aGateway(t, {
    kind: embedded,
    config: { compat: ['evolution'] },
    limits: { ...NEVER_FULL, takeAll: limits.takeAll.bind(limits) },
  });
  const acme = await gateway.signUp();
  const other = await gateway.signUp('Other', '+62 811-0000-8888');
  const device = await acme.linked(PHONE);
  await acme.api('PATCH', device.path, { name: 'shop' });
  const branch = (await acme.api('POST', '/v1/sessions', { name: 'branch' })).body.id;
  const as = (tenant: typeof acme, fields: object = {}) => withKey(gateway, tenant, 'evolution', 'apikey', fields);
  const text = { number: ANNA, text: 'Hello' };

  const foreign = (await as(other)).call;
  const onlyBranch = (await as(acme, { session_ids: [branch] })).call;
  const reading = (await as(acme, { scopes: ['read'] })).call;
  for (const name of ['shop', device.id]) {
    assert.equal((await foreign('POST', `/message/sendText/${name}`, text)).status, 404);
    assert.equal((await onlyBranch('POST', `/message/sendText/${name}`, text)).status, 404);
    assert.equal((await reading('POST', `/message/sendText/${name}`, text)).status, 403);
  }
  assert.equal((await reading('GET', '/instance/connectionState/shop')).body.instance.state, 'open');

  const at = `${gateway.node.url}/compat/evolution`;
  const refused = await calling(at, { apikey: acme.tokens.token })('GET', '/instance/fetchInstances');
  assert.equal(refused.status, 401);
  holds(refused.body, { status: 401, error: 'Unauthorized', response: { code: 'UNAUTHORIZED' } }, 'error');
  const { key, call } = await as(acme);
  assert.equal((await calling(at, {})('GET', `/instance/fetchInstances?apikey=${key}`)).status, 401);
  assert.equal((await calling(at, { authorization: `Bearer ${key}` })('GET', '/instance/fetchInstances')).status, 401);

  const statuses: number[] = [];
  for (let nth = 0; nth < 31; nth++) statuses.push((await call('POST', '/message/sendText/shop', text)).status);
  assert.deepEqual([statuses.indexOf(429), statuses.filter((one) => one === 201).length], [30, 30]);

  await acme.api('PATCH', `/v1/sessions/${branch}`, { name: 'shop' });
  const two = await call('GET', '/instance/connectionState/shop');
  assert.equal(two.status, 409);
  assert.equal((await call('GET', `/instance/connectionState/${device.id}`)).body.instance.state, 'open');
});

it('the Evolution interface streams long base64 files, and rejects malformed or oversized bodies', async (t) => {
  const { call, tenant, gateway } = await aDoor(t, 'evolution', 'apikey');
  const picture = Buffer.concat([Buffer.from(FILE, 'base64'), Buffer.alloc(300_001, 7)]);
  const send = (media: string, more = '') =>
    call('POST', '/message/sendMedia/shop', `{"number":"${ANNA}","mediatype":"document","media":"${media}"${more}}`);
  for (const text of [picture.toString('base64'), `data:image/png;base64,${picture.toString('base64').replaceAll('/', '\\/')}`]) {
    const { status, body } = await gateway.during(send(text, ',"fileName":"a \\" b.png"'));
    assert.equal(status, 201, JSON.stringify(body));
    holds(body, { message: { documentMessage: { fileLength: picture.length } } }, 'sent');
    const { base64 } = (await call('POST', '/chat/getBase64FromMediaMessage/shop', { message: { key: { id: body.key.id } } })).body;
    assert.ok(Buffer.from(base64, 'base64').equals(picture));
  }
  assert.equal((await tenant.api('GET', '/v1/media')).body.media.length, 2);
  const once = async (file: string) =>
    gateway.during(
      call('POST', '/message/sendMedia/shop', { number: ANNA, mediatype: 'image', media: file }, { 'idempotency-key': 'n8n-1' }),
    );
  const first = await once(FILE);
  const repeated = await once(FILE);
  assert.deepEqual([first.status, repeated.status, repeated.body.key.id], [201, 201, first.body.key.id]);
  assert.equal((await once(picture.toString('base64'))).status, 422, 'another file with the same key');
  const files = (await tenant.api('GET', '/v1/media')).body.media;
  assert.equal(files.filter(({ size }: { size: number }) => size === Buffer.from(FILE, 'base64').length).length, 1, 'the copy is deleted');
  const long = 'A'.repeat(20_000);
  assert.equal((await send(long.slice(0, 4), `,"a":"${long}","b":"${long}"`)).status, 400);
  assert.equal((await call('POST', '/message/sendMedia/shop', `{"media":"${long}`)).status, 400);
  assert.equal((await call('POST', '/message/sendText/shop', `{"number":"${ANNA}","text":"${'a b '.repeat(300_000)}"}`)).status, 413);
});

it('the gateway serves only the compatibility interfaces listed in COMPAT', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { api } = await gateway.signUp();
  const { key } = (await api('POST', '/v1/api-keys', { name: 'Flows' })).body;
  assert.equal((await gateway.api('GET', '/compat/evolution/instance/fetchInstances', undefined, { apikey: key })).status, 404);
  assert.deepEqual(readConfig({ COMPAT: 'evolution' }, '/nowhere').compat, ['evolution']);
  assert.throws(() => readConfig({ COMPAT: 'evolution,telegram' }, '/nowhere'), /COMPAT/);
});
