import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';
import { anOffice, type Office } from './office.ts';
import type { Received } from './receiver.ts';

const CHAT = { chat_id: `${ANNA}@s.whatsapp.net`, phone: ANNA, lid: null };

/** Waits for the one event of this type. */
async function theOne({ gateway, receiver }: Office, type: string): Promise<Received> {
  await gateway.until(`${type} is told`, () => receiver.of(type).length > 0);
  const [one, ...more] = receiver.of(type);
  assert.deepEqual(more, []);
  return one!;
}

/** Is it what spec.md part 6 says, to the byte? Only its id and when it happened are not known before. */
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

eachStore('the body of', (kind) => {
  it('message.received', async (t) => {
    const office = await anOffice(t, kind);
    await office.subscribe(['message.received']);
    office.gateway.sandbox.phone(ANNA).set({ name: 'Anna' });
    office.write(ANNA, 'Halo "Acme"\n✓');
    const one = await theOne(office, 'message.received');
    const { messages } = (await office.api('GET', `${office.desk.path}/messages?direction=inbound`)).body;
    const sender = { ...CHAT, name: 'Anna' };
    const data = { message_id: messages[0].id, ...CHAT, direction: 'inbound', message_type: 'text', body: 'Halo "Acme"\n✓', sender };
    isLiterally(one, 'message.received', office.desk.id, data, { now: office.gateway.clock.now() });
  });

  it('message.sent, message.delivered and message.read', async (t) => {
    const office = await anOffice(t, kind);
    const statuses = ['sent', 'delivered', 'read'] as const;
    await office.subscribe(statuses.map((status) => `message.${status}`));
    const message_id = await office.desk.text(ANNA, 'hello');
    for (const status of statuses) {
      const one = await theOne(office, `message.${status}`);
      const data = { message_id, ...CHAT, direction: 'outbound', message_type: 'text', status };
      isLiterally(one, `message.${status}`, office.desk.id, data, { now: office.gateway.clock.now() });
    }
  });

  it('message.failed', async (t) => {
    const office = await anOffice(t, kind);
    await office.subscribe(['message.failed']);
    office.gateway.sandbox.phone(ANNA).set({ onNetwork: false });
    const message_id = await office.desk.text(ANNA, 'hello?');
    const one = await theOne(office, 'message.failed');
    const data = { message_id, ...CHAT, direction: 'outbound', message_type: 'text', status: 'failed', error: 'not_on_network' };
    isLiterally(one, 'message.failed', office.desk.id, data, { now: office.gateway.clock.now() });
  });

  it('qr.generated and session.connected', async (t) => {
    const office = await anOffice(t, kind);
    const { gateway, api } = office;
    await office.subscribe(['qr.generated', 'session.connected']);
    const { id } = (await api('POST', '/v1/sessions', {})).body;
    await api('POST', `/v1/sessions/${id}/connect`);
    const code = await theOne(office, 'qr.generated');
    const shown = (await api('GET', `/v1/sessions/${id}/qr`)).body;
    isLiterally(code, 'qr.generated', id, { qr: shown.qr, expires_at: shown.expires_at }, { now: gateway.clock.now() });

    gateway.sandbox.phone('6281100000002').set({ name: 'Toko Dua' });
    gateway.sandbox.phone('6281100000002').scan({ qr: shown.qr });
    const online = await theOne(office, 'session.connected');
    const { phone_number, wa_name } = (await api('GET', `/v1/sessions/${id}`)).body;
    assert.deepEqual([phone_number, wa_name], ['6281100000002', 'Toko Dua']);
    isLiterally(online, 'session.connected', id, { phone_number, wa_name }, { now: gateway.clock.now() });
  });

  it('session.disconnected and session.alert', async (t) => {
    const office = await anOffice(t, kind);
    const { gateway, desk } = office;
    await office.subscribe(['session.disconnected', 'session.alert']);
    gateway.sandbox.device(PHONE).fault({ kind: 'ban' });
    const gone = await theOne(office, 'session.disconnected');
    isLiterally(gone, 'session.disconnected', desk.id, { reason: 'banned' }, { now: gateway.clock.now() });
    const since = gone.body.occurred_at;
    await gateway.clock.advanceTo(since + 300_000);
    const alert = await theOne(office, 'session.alert');
    const message = 'The device has been offline for more than 5 minutes';
    const data = { type: 'offline', message, disconnected_since: since, duration_ms: alert.body.occurred_at - since };
    isLiterally(alert, 'session.alert', desk.id, data, { now: gateway.clock.now() });
    assert.ok(data.duration_ms >= 300_000);
  });

  it('webhook.test', async (t) => {
    const office = await anOffice(t, kind);
    const webhook_id = await office.subscribe(['message.sent']);
    await office.api('POST', `/v1/webhooks/${webhook_id}/test`);
    const one = await theOne(office, 'webhook.test');
    const data = { webhook_id, message: 'This is a test: the webhook works' };
    isLiterally(one, 'webhook.test', null, data, { now: office.gateway.clock.now() });
  });
});
