import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newId } from '../../../../runtime/ids.ts';
import { type DeliveryRow, deliveriesIn } from '../../../../store/webhooks/deliveries.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { isSigned, SECRET } from './receiver.ts';
import { aWebhookFixture } from './webhooks-fixture.ts';

const MESSAGES = ['message.received', 'message.sent'];
const OTHER_SECRET = 'another secret, at least as long as the first';

eachStore('webhooks', (kind) => {
  it('report received and sent messages, and are signed over the raw body', async (t) => {
    const { gateway, receiver, device, subscribe, write } = await aWebhookFixture(t, kind);
    await subscribe(MESSAGES);
    const sent = await device.text(ANNA, 'hello');
    write(ANNA, 'hi there');
    await gateway.until('both are told', () => receiver.received.length === 2);

    const [outgoing] = receiver.of('message.sent');
    const [incoming] = receiver.of('message.received');
    assert.ok(outgoing && incoming);
    const chat = { chat_id: `${ANNA}@s.whatsapp.net`, phone: ANNA, lid: null };
    const { wa_message_id } = await device.message(sent);
    const message = { message_id: sent, wa_message_id, ...chat, direction: 'outbound', message_type: 'text', status: 'sent' };
    assert.deepEqual(outgoing.body.data, message);
    const { sender, message_id, ...data } = incoming.body.data;
    const plain = { kind: null, content: null, reply_to: null, forwarded: false, mentions: [] };
    assert.partialDeepStrictEqual(data, { ...chat, direction: 'inbound', message_type: 'text', body: 'hi there', ...plain });
    assert.equal((await device.message(message_id)).body, 'hi there');
    assert.equal(sender.chat_id, chat.chat_id);
    assert.deepEqual(Object.keys(incoming.body), ['id', 'type', 'session_id', 'occurred_at', 'data']);
    assert.match(incoming.body.id, /^evt_[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.equal(incoming.body.session_id, device.id);
    for (const one of [outgoing, incoming]) {
      assert.ok(isSigned(one));
      assert.equal(one.headers['x-webhook-id'], one.body.id);
      assert.equal(one.headers['x-webhook-event'], one.body.type);
    }
  });

  it('report why a message could not be sent', async (t) => {
    const { gateway, receiver, device, subscribe } = await aWebhookFixture(t, kind);
    await subscribe(['message.failed']);
    gateway.sandbox.phone(ANNA).set({ onNetwork: false });
    const id = await device.text(ANNA, 'hello?');
    await gateway.until('it is told', () => receiver.received.length === 1);
    const [{ body }] = receiver.of('message.failed') as [(typeof receiver.received)[number]];
    assert.deepEqual([body.data.message_id, body.data.status, body.data.error], [id, 'failed', 'not_on_network']);
  });

  it('report receipts only if they subscribe to them', async (t) => {
    const { gateway, api, receiver, device, subscribe } = await aWebhookFixture(t, kind);
    await device.text(ANNA, 'before anybody asks');
    await gateway.clock.advance(60_000);
    const webhook = await subscribe(['message.delivered', 'message.read']);
    const id = await device.text(ANNA, 'hello');
    await gateway.until('both are told', () => receiver.received.length === 2);
    assert.deepEqual(
      new Set(receiver.received.map(({ body }) => `${body.type} ${body.data.message_id}`)),
      new Set([`message.delivered ${id}`, `message.read ${id}`]),
    );
    const shown = (await api('GET', `/v1/webhooks/deliveries?webhook_id=${webhook}&event=message.read&status=delivered`)).body;
    assert.deepEqual([shown.deliveries.length, shown.deliveries[0].response_status, shown.deliveries[0].attempt], [1, 204, 1]);
  });

  it('list a rare failed delivery on the first page, even among thousands of successful ones', async (t) => {
    const { gateway, acme, api, subscribe } = await aWebhookFixture(t, kind);
    const webhook_id = await subscribe(['message.sent']);
    const now = gateway.clock.now();
    const delivery = (nth: number): DeliveryRow => ({
      ...{ _id: newId(now - nth), tenant_id: acme.id, webhook_id, event_id: `evt_${nth}`, event: 'message.sent', asked: '', body: '{}' },
      ...{ attempt: 1, status: 'delivered', response_status: 204, error: null, duration_ms: 1, next_attempt_at: null, epoch: 0 },
      ...{ created_at: now - nth, expires_at: now + 86_400_000 },
    });
    const oldest: DeliveryRow = { ...delivery(4_300), status: 'failed', event: 'message.failed' };
    await deliveriesIn(gateway.store).add([...Array.from({ length: 4_300 }, (_, nth) => delivery(nth)), oldest]);

    const list = async (query: string) => (await api('GET', `/v1/webhooks/deliveries?${query}`)).body;
    assert.deepEqual(
      (await list('status=failed')).deliveries.map(({ id }: { id: string }) => id),
      [oldest._id],
    );
    const first = await list('event=message.failed');
    assert.equal(first.deliveries.length, 0);
    assert.notEqual(first.next_before, null);
    const next = await list(`event=message.failed&before=${first.next_before}&before_id=${first.next_before_id}`);
    assert.deepEqual([next.deliveries.length, next.deliveries[0].id, next.next_before], [1, oldest._id, null]);
    assert.equal((await list(`webhook_id=${webhook_id}&status=delivered&limit=200`)).deliveries.length, 200);
  });

  it('can be verified with the official Standard Webhooks library', async (t) => {
    const { gateway, api, receiver, subscribe, write } = await aWebhookFixture(t, kind);
    const encoded = `whsec_${Buffer.from(OTHER_SECRET).toString('base64')}`;
    await subscribe(['message.received']);
    await api('POST', '/v1/webhooks', { url: `${receiver.url}/encoded`, secret: encoded, events: ['message.received'] });
    // The library holds the timestamp against the machine's own clock.
    gateway.clock.jump(Date.now() - gateway.clock.now());
    write(ANNA, 'one');
    await gateway.until('both are told', () => receiver.received.length === 2);

    const at = (path: string) => receiver.received.find((one) => one.path === path)!;
    const verify = (webhook: Webhook, { raw, headers }: ReturnType<typeof at>) => webhook.verify(raw, headers as Record<string, string>);
    verify(new Webhook(SECRET, { format: 'raw' }), at('/hook'));
    verify(new Webhook(encoded), at('/hook/encoded'));
    assert.throws(() => verify(new Webhook(encoded), at('/hook')));
    assert.ok(isSigned(at('/hook')) && isSigned(at('/hook/encoded'), encoded));
  });

  it('can be created, shown, changed and removed only by their own tenant', async (t) => {
    const { gateway, api, receiver, subscribe } = await aWebhookFixture(t, kind);
    const id = await subscribe(MESSAGES);
    const { body: webhook } = await api('GET', `/v1/webhooks/${id}`);
    assert.deepEqual((await api('GET', '/v1/webhooks')).body, { webhooks: [webhook] });
    assert.equal(JSON.stringify(webhook).includes(SECRET), false);
    const changed = await api('PATCH', `/v1/webhooks/${id}`, { url: `${receiver.url}/2`, events: ['session.alert'] });
    assert.deepEqual(changed.body, { ...webhook, url: `${receiver.url}/2`, events: ['session.alert'] });

    const other = await gateway.signUp('Other', '+62 811-0000-7777');
    const calls = [['GET'], ['PATCH', { paused: true }], ['DELETE']] as const;
    for (const [method, body] of calls) assert.equal((await other.api(method, `/v1/webhooks/${id}`, body)).body.code, 'NOT_FOUND');
    assert.equal((await other.api('POST', `/v1/webhooks/${id}/test`)).status, 404);

    assert.deepEqual((await api('DELETE', `/v1/webhooks/${id}`)).body, { ok: true });
    assert.equal((await api('GET', `/v1/webhooks/${id}`)).status, 404);
  });

  it('are rejected if a field is invalid, and the error names the field', async (t) => {
    const { gateway, api, receiver } = await aWebhookFixture(t, kind);
    const good = { url: receiver.url, secret: SECRET, events: MESSAGES };
    const refused = async (change: object) => (await api('POST', '/v1/webhooks', { ...good, ...change })).body;
    for (const [field, value] of [
      ['url', 'not an address'],
      ['url', `${receiver.url}/\r\nX-More: yes`],
      ['secret', 'short'],
      ['events', ['message.unknown']],
      ['events', []],
      ['more', 1],
    ] as const) {
      const { code, error } = await refused({ [field]: value });
      assert.equal(code, 'VALIDATION_FAILED');
      assert.ok(error.includes(field), error);
    }
    for (const url of [
      'http://example.com/x',
      'https://127.0.0.1/x',
      'https://user:pw@example.com/',
      'https://example.com:8443/',
      'https://[::ffff:10.0.0.1]/',
    ])
      assert.equal((await refused({ url })).code, 'WEBHOOK_URL_BLOCKED', url);

    const key = await api('POST', '/v1/api-keys', { name: 'one device', session_ids: [(await api('POST', '/v1/sessions', {})).body.id] });
    const restricted = await gateway.as(key.body.key)('GET', '/v1/webhooks');
    assert.deepEqual([restricted.status, restricted.body.code], [403, 'FORBIDDEN']);
  });
});
