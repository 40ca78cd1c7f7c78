import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import type { Received } from '../webhooks/receiver.ts';
import { aWebhookFixture, type Fixture } from '../webhooks/webhooks-fixture.ts';

const CHAT = { chat_id: `${ANNA}@s.whatsapp.net`, phone: ANNA, lid: null };

/** Waits for the one event of this type. */
async function theOne({ gateway, receiver }: Fixture, type: string): Promise<Received> {
  await gateway.until(`${type} is told`, () => receiver.of(type).length > 0);
  const [one, ...more] = receiver.of(type);
  assert.deepEqual(more, []);
  return one!;
}

/** The body, to the byte. Only its id and time are not known in advance. */
function isLiterally(
  { raw, body, headers }: Received,
  type: string,
  session: string | null,
  data: object,
  at: { readonly now: number },
): void {
  const { id, occurred_at } = body;
  assert.equal(raw, JSON.stringify({ id, type, session_id: session, occurred_at, data }));
  assert.match(id, /^evt_[0-9A-HJKMNP-TV-Z]{26}$/);
  assert.ok(Number.isSafeInteger(occurred_at) && occurred_at <= at.now && occurred_at > at.now - 600_000, `${occurred_at}`);
  assert.deepEqual([headers['content-type'], headers['x-webhook-event'], headers['x-webhook-id']], ['application/json', type, id]);
}

eachStore('an event body', (kind) => {
  it('is exactly as documented for message.received', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    await fixture.subscribe(['message.received']);
    fixture.gateway.sandbox.phone(ANNA).set({ name: 'Anna' });
    fixture.write(ANNA, 'Halo "Acme"\n✓');
    const one = await theOne(fixture, 'message.received');
    const { messages } = (await fixture.api('GET', `${fixture.device.path}/messages?direction=inbound`)).body;
    const sender = { ...CHAT, username: null, name: 'Anna' };
    const { wa_message_id } = await fixture.device.message(messages[0].id);
    assert.ok(wa_message_id);
    const text = {
      message_id: messages[0].id,
      wa_message_id,
      ...CHAT,
      direction: 'inbound',
      message_type: 'text',
      body: 'Halo "Acme"\n✓',
      sender,
    };
    const beside = { kind: null, content: null, reply_to: null, mentions: [], place: null, ad: null, forwarded: false, ephemeral: null };
    const data = { ...text, ...beside };
    isLiterally(one, 'message.received', fixture.device.id, data, { now: fixture.gateway.clock.now() });
  });

  it('is exactly as documented for message.sent, message.delivered and message.read', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const statuses = ['sent', 'delivered', 'read'] as const;
    await fixture.subscribe(statuses.map((status) => `message.${status}`));
    const message_id = await fixture.device.text(ANNA, 'hello');
    for (const status of statuses) {
      const one = await theOne(fixture, `message.${status}`);
      const { wa_message_id } = await fixture.device.message(message_id);
      const data = { message_id, wa_message_id, ...CHAT, direction: 'outbound', message_type: 'text', status };
      isLiterally(one, `message.${status}`, fixture.device.id, data, { now: fixture.gateway.clock.now() });
    }
  });

  it('is exactly as documented for message.failed', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    await fixture.subscribe(['message.failed']);
    fixture.gateway.sandbox.phone(ANNA).set({ onNetwork: false });
    const message_id = await fixture.device.text(ANNA, 'hello?');
    const one = await theOne(fixture, 'message.failed');
    const { wa_message_id } = await fixture.device.message(message_id);
    const message = { message_id, wa_message_id, ...CHAT, direction: 'outbound', message_type: 'text' };
    const data = { ...message, status: 'failed', error: 'not_on_network' };
    isLiterally(one, 'message.failed', fixture.device.id, data, { now: fixture.gateway.clock.now() });
  });

  it('is exactly as documented for qr.generated and session.connected', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const { gateway, api } = fixture;
    await fixture.subscribe(['qr.generated', 'session.connected']);
    const { id } = (await api('POST', '/v1/sessions', {})).body;
    await api('POST', `/v1/sessions/${id}/connect`);
    const code = await theOne(fixture, 'qr.generated');
    const shown = (await api('GET', `/v1/sessions/${id}/qr`)).body;
    isLiterally(code, 'qr.generated', id, { qr: shown.qr, expires_at: shown.expires_at }, { now: gateway.clock.now() });

    gateway.sandbox.phone('6281100000002').set({ name: 'Toko Dua' });
    gateway.sandbox.phone('6281100000002').scan({ qr: shown.qr });
    const online = await theOne(fixture, 'session.connected');
    const { phone_number, wa_name } = (await api('GET', `/v1/sessions/${id}`)).body;
    assert.deepEqual([phone_number, wa_name], ['6281100000002', 'Toko Dua']);
    isLiterally(online, 'session.connected', id, { phone_number, wa_name }, { now: gateway.clock.now() });
  });

  it('is exactly as documented for session.disconnected and session.alert', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const { gateway, device, api } = fixture;
    assert.equal((await api('GET', '/v1/profile')).body.locale, 'id');
    await fixture.subscribe(['session.disconnected', 'session.alert']);
    gateway.sandbox.device(PHONE).fault({ kind: 'ban' });
    const gone = await theOne(fixture, 'session.disconnected');
    isLiterally(
      gone,
      'session.disconnected',
      device.id,
      { reason: 'banned', cause: 'banned', code: 403, until: null },
      { now: gateway.clock.now() },
    );
    const since = gone.body.occurred_at;
    await gateway.clock.advanceTo(since + 300_000);
    const alert = await theOne(fixture, 'session.alert');
    const message = 'Perangkat telah offline lebih dari 5 menit';
    const data = { type: 'offline', message, disconnected_since: since, duration_ms: alert.body.occurred_at - since };
    isLiterally(alert, 'session.alert', device.id, data, { now: gateway.clock.now() });
    assert.ok(data.duration_ms >= 300_000);
  });

  it('is exactly as documented for webhook.test', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const webhook_id = await fixture.subscribe(['message.sent']);
    await fixture.api('POST', `/v1/webhooks/${webhook_id}/test?lang=en`);
    const one = await theOne(fixture, 'webhook.test');
    const data = { webhook_id, message: 'This is a test: the webhook works' };
    isLiterally(one, 'webhook.test', null, data, { now: fixture.gateway.clock.now() });
  });

  it('is exactly as documented for contact.merged', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const { gateway, api, device } = fixture;
    await fixture.subscribe(['contact.merged']);
    const dialled = '6281311110001';
    const idOf = async (phone: string): Promise<string> => (await api('POST', '/v1/contacts', { phone: `+${phone}` })).body.id;
    const [former, into] = [await idOf(dialled), await idOf(ANNA)];
    gateway.sandbox.phone(ANNA).set({ numberForms: [dialled] });
    await device.text(dialled, 'Hello');
    const one = await theOne(fixture, 'contact.merged');
    const numbers = { phones: [ANNA, dialled], lids: [] };
    const data = { contact_id: former, into, numbers, chat_ids: [CHAT.chat_id, `${dialled}@s.whatsapp.net`] };
    isLiterally(one, 'contact.merged', null, data, { now: gateway.clock.now() });
  });

  it('is exactly as documented for security.access_changed, data_exported and data_deleted', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    const { gateway, acme, api, device } = fixture;
    const types = ['security.access_changed', 'security.data_exported', 'security.data_deleted'] as const;
    await fixture.subscribe(types);
    const by = { kind: 'owner', id: acme.id, name: 'Acme' };
    const { id } = (await api('POST', '/v1/agents', { name: 'Dewi', phone: '+6281277770001' })).body;
    const changed = await theOne(fixture, types[0]);
    const now = { now: gateway.clock.now() };
    isLiterally(changed, types[0], null, { action: 'agent.create', target: { kind: 'agent', id }, by }, now);
    const { key, ...made } = (await api('POST', '/v1/api-keys', { name: 'Till' })).body;
    await gateway.as(key)('GET', '/v1/contacts/export');
    const exported = await theOne(fixture, types[1]);
    const till = { kind: 'key', id: made.id, name: 'Till' };
    isLiterally(exported, types[1], null, { kind: 'contacts', id: null, by: till }, { now: gateway.clock.now() });
    await gateway.during(api('DELETE', device.path));
    const deleted = await theOne(fixture, types[2]);
    isLiterally(deleted, types[2], null, { kind: 'device', by }, { now: gateway.clock.now() });
  });
});
