import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import { newId } from '../../runtime/ids.ts';
import { messagesIn } from '../../store/messaging/messages.ts';
import { ANNA, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../support/gateway.ts';
import { aMessageRow } from '../support/message-row.ts';
import { eachStore } from '../support/stores.ts';

const SECOND = 1_000;
const BEN = '6281211110002';

eachStore('outgoing messages', (kind) => {
  it('arrive with the right types and with their quotes', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await pace(acme.api, 0, 0);
    const first = await device.text(ANNA, 'first');
    await gateway.until('it is there', async () => (await device.message(first)).status === 'read');
    const send = (body: object) => acme.api('POST', `${device.path}/messages`, { chat_id: `${ANNA}@s.whatsapp.net`, ...body });
    await send({ type: 'location', location: { lat: -6.2, lng: 106.8 } });
    await send({ type: 'contact', contact: { name: 'Ben', phone: '0812-1111-0002' } });
    await send({ type: 'poll', poll_name: 'Lunch?', choices: ['yes', 'no'] });
    await send({ type: 'text', body: 'an answer', reply_to: first });

    const received = await gateway.until('all are there', () => {
      const shown = gateway.sandbox.phone(ANNA).messages();
      return shown.length === 5 && shown.toReversed();
    });
    assert.deepEqual(
      received.map(({ content }) => content),
      [
        { type: 'text', body: 'first' },
        { type: 'location', lat: -6.2, lng: 106.8 },
        { type: 'contact', name: 'Ben', phone: BEN },
        { type: 'poll', name: 'Lunch?', choices: ['yes', 'no'] },
        { type: 'text', body: 'an answer' },
      ],
    );
    assert.equal(received[4]?.quotes, received[0]?.netId);
  });

  it('are sent at the configured pace, and follow a new pace immediately', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await pace(acme.api, 10 * SECOND, 10 * SECOND);
    for (const body of ['one', 'two', 'three', 'four']) await device.text(ANNA, body);
    await gateway.clock.advance(15 * SECOND);
    assert.equal(gateway.sandbox.phone(ANNA).messages().length, 2);
    await pace(acme.api, 0, 0);
    await gateway.clock.advance(SECOND);
    assert.deepEqual(textsOn(gateway, ANNA), ['one', 'two', 'three', 'four']);
  });

  it('arrive in the order of their bulk call, even if it writes the number in several ways', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await pace(acme.api, 0, 0);
    const forms = [ANNA, `+${ANNA}`, `${ANNA}@s.whatsapp.net`, `0${ANNA.slice(2)}`];
    const messages = Array.from({ length: 60 }, (_, nth) => ({ chat_id: forms[nth % forms.length], type: 'text', body: String(nth) }));
    const sent = await acme.api('POST', `${device.path}/messages/bulk`, { messages });
    assert.equal(sent.status, 202);
    await gateway.until('all arrived', () => textsOn(gateway, ANNA).length === messages.length);
    assert.deepEqual(
      textsOn(gateway, ANNA),
      messages.map(({ body }) => body),
    );
  });

  it('wait for an offline device only if this is requested, and are sent in order of priority', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await pace(acme.api, 0, 0);
    await acme.api('POST', `${device.path}/disconnect`);
    const refused = await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'now' });
    assert.deepEqual([refused.status, refused.body.code], [409, 'CONFLICT']);

    const later = { connect_only: false };
    const first = await device.text(ANNA, 'plain', later);
    await device.text(ANNA, 'urgent', { ...later, priority: 9 });
    const cancelled = await acme.api('GET', `${device.path}/queue`);
    assert.deepEqual(
      cancelled.body.queue.map(({ body, lane }: { body: string; lane: string }) => [body, lane]),
      [
        ['urgent', 'reply'],
        ['plain', 'reply'],
      ],
    );
    assert.equal((await device.message(first)).wa_message_id, null);
    await acme.api('POST', `${device.path}/connect`);
    await gateway.until('both arrived', () => textsOn(gateway, ANNA).length === 2);
    assert.deepEqual(textsOn(gateway, ANNA), ['urgent', 'plain']);
  });

  it('can be cancelled while they wait, which refunds their quota', async (t) => {
    const gateway = await aGateway(t, { kind, config: { plans: plansFrom({ free: { messages: 2 } }) } });
    const acme = await gateway.signUp();
    const { body: device } = await acme.api('POST', '/v1/sessions', {});
    const send = () =>
      acme.api('POST', `/v1/sessions/${device.id}/messages`, { chat_id: ANNA, type: 'text', body: 'x', connect_only: false });
    assert.deepEqual([(await send()).body.status, (await send()).body.status, (await send()).body.status], ['queued', 'queued', 'failed']);
    const failed = (await acme.api('GET', `/v1/sessions/${device.id}/messages?status=failed`)).body.messages;
    assert.equal((await acme.api('GET', `/v1/sessions/${device.id}/messages/${failed[0].id}`)).body.error, 'quota_exceeded');

    assert.deepEqual((await acme.api('DELETE', `/v1/sessions/${device.id}/queue`)).body, { ok: true, cancelled: 2 });
    assert.equal((await send()).body.status, 'queued');
  });

  it("fail with the network's reason if the network rejects them", async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    gateway.sandbox.phone(ANNA).set({ onNetwork: false });
    const id = await device.text(ANNA, 'hello?');
    const failed = await gateway.until('it failed', async () => {
      const message = await device.message(id);
      return message.status === 'failed' && message;
    });
    assert.equal(failed.error, 'not_on_network');

    const asked = acme.api('POST', `${device.path}/validate`, { phones: ['0812-1111-0001', '0812-1111-0002', 'nonsense'] });
    assert.deepEqual((await gateway.during(asked)).body.results, [
      { input: '0812-1111-0001', phone: ANNA, exists: false, jid: null },
      { input: '0812-1111-0002', phone: BEN, exists: true, jid: `${BEN}@s.whatsapp.net` },
      { input: 'nonsense', phone: null, exists: false, jid: null },
    ]);
  });

  it('reach an offline phone later, and are not shown as read if read receipts are turned off', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    gateway.sandbox.phone(ANNA).set({ online: false, reads: false });
    const id = await device.text(ANNA, 'are you there?');
    await gateway.clock.advance(60 * SECOND);
    assert.equal((await device.message(id)).status, 'sent');
    gateway.sandbox.phone(ANNA).set({ online: true });
    await gateway.clock.advance(60 * SECOND);
    assert.equal((await device.message(id)).status, 'delivered');
  });

  it('fail when their device is deleted, or are cancelled if they are still queued', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const secret = 'a secret that only the two of us know';
    await acme.api('POST', '/v1/webhooks', { url: 'https://example.com/told', secret, events: ['message.failed'] });
    gateway.sandbox.device(PHONE).fault({ kind: 'slow', forMs: 600 * SECOND });
    const onTheWire = await device.text(ANNA, 'on its way');
    const waiting = await device.text(ANNA, 'not yet', { connect_only: false });
    const rows = messagesIn(gateway.store);
    const statusOf = async (id: string) => (await rows.find(acme.id, device.id, id))?.status;
    await gateway.until('it is on the wire', async () => (await statusOf(onTheWire)) === 'sending');
    await storeStop(gateway, { acme, device, from: BEN });

    assert.equal((await gateway.during(acme.api('DELETE', device.path))).status, 200);
    assert.equal(await consentOf(acme, BEN), 'opted_out');
    await gateway.clock.advance(240 * SECOND);
    assert.deepEqual([await statusOf(onTheWire), await statusOf(waiting)], ['failed', 'cancelled']);
    const { events } = (await acme.api('GET', '/v1/events/pull')).body;
    const failed = events.filter(({ type }: { readonly type: string }) => type === 'message.failed');
    assert.deepEqual(
      failed.map(({ data }: { readonly data: { readonly message_id: string; readonly error: string } }) => [data.message_id, data.error]),
      [[onTheWire, 'unknown_outcome']],
    );
  });
});

eachStore('an incoming STOP', (kind) => {
  it('opts the sender out even if the device has been deleted', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    assert.equal((await gateway.during(acme.api('DELETE', device.path))).status, 200);
    await gateway.clock.advance(240 * SECOND);
    await storeStop(gateway, { acme, device, from: BEN });
    await gateway.clock.advance(300 * SECOND);
    assert.equal(await consentOf(acme, BEN), 'opted_out');
  });
});

eachStore('a process that stops or crashes', (kind) => {
  it('keeps the queued messages of a device that is linked again during its deletion', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await acme.api('POST', `${device.path}/disconnect`);
    const waiting = await device.text(ANNA, 'later', { connect_only: false });
    const unfinished = { _id: device.id, tenant_id: acme.id, unfinished_at: gateway.clock.now() };
    await gateway.store.collection<typeof unfinished>({ name: 'removed_devices', indexes: [] }).insertOne(unfinished);
    await gateway.clock.advance(240 * SECOND);
    assert.equal((await device.message(waiting)).status, 'queued');
  });

  it('sends an interrupted message again with the same id, and the network accepts it once', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    gateway.sandbox.device(PHONE).fault({ kind: 'slow', forMs: 20 * SECOND });
    const id = await device.text(ANNA, 'once only');
    await gateway.until('the network has it', () => gateway.sandbox.journal.of('accepted').some(({ to }) => to?.startsWith(ANNA)));
    assert.equal((await device.message(id)).status, 'queued');

    const restarted = await gateway.crash();
    const api = restarted.as(acme.tokens.token);
    await restarted.until('it is sent', async () =>
      ['sent', 'delivered', 'read'].includes((await api('GET', `${device.path}/messages/${id}`)).body.status),
    );
    const { journal } = restarted.sandbox;
    assert.equal(journal.of('accepted').filter(({ to }) => to?.startsWith(ANNA)).length, 1);
    assert.equal(journal.of('duplicate').filter(({ to }) => to?.startsWith(ANNA)).length, 1);
    assert.deepEqual(textsOn(restarted, ANNA), ['once only']);
  });

  it('receives each message from its downtime only once', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await gateway.node.actors.shutdown();
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'anybody there?' } });
    const restarted = await gateway.crash();
    const api = restarted.as(acme.tokens.token);
    const inbound = async () => (await api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    await restarted.until('it is in the log', async () => (await inbound()).length > 0);
    await restarted.clock.advance(60 * SECOND);
    assert.equal((await inbound()).length, 1);
  });

  it('waits for acknowledgements when it stops gracefully, and closes connections without logging out', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await pace(acme.api, 0, 0);
    gateway.sandbox.phone(ANNA).set({ online: false });
    gateway.sandbox.device(PHONE).fault({ kind: 'slow', forMs: 5 * SECOND });
    const ids = await Promise.all(['a', 'b', 'c'].map((body) => device.text(ANNA, body)));
    const { journal } = gateway.sandbox;
    const accepted = () => journal.of('accepted').filter(({ to }) => to?.startsWith(ANNA)).length;
    await gateway.until('all are on the wire', () => accepted() === ids.length);
    const rows = messagesIn(gateway.store);
    // As stored: outside, what is being sent is still queued.
    const statuses = () => Promise.all(ids.map(async (id) => (await rows.find(acme.id, device.id, id))?.status));
    assert.deepEqual(await statuses(), ['sending', 'sending', 'sending']);
    await gateway.during(gateway.node.stop());
    assert.deepEqual([accepted(), journal.of('duplicate').length, journal.of('unlinked').length], [ids.length, 0, 0]);
    assert.deepEqual(await statuses(), ['sent', 'sent', 'sent']);
  });
});

const textsOn = ({ sandbox }: Gateway, phone: string): string[] =>
  sandbox
    .phone(phone)
    .messages(200)
    .toReversed()
    .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []));

async function pace(
  api: (method: string, path: string, body: unknown) => Promise<{ status: number }>,
  min: number,
  max: number,
): Promise<void> {
  const { status } = await api('PUT', '/v1/settings', { pacing: { min_delay_ms: min, max_delay_ms: max } });
  assert.equal(status, 200);
}

/** An inbound one that is stored, and nothing more, as by a process that dies then. */
async function storeStop(gateway: Gateway, { acme, device, from }: { acme: Tenant; device: Device; from: string }): Promise<void> {
  const now = gateway.clock.now();
  const theirs = { tenant_id: acme.id, session_id: device.id, direction: 'inbound', status: 'delivered', created_at: now } as const;
  const stop = aMessageRow({ ...theirs, _id: newId(now), chat_id: `${from}@s.whatsapp.net`, body: 'STOP', outbox_pending: true });
  await messagesIn(gateway.store).receive(stop);
}

const consentOf = async ({ api }: Tenant, phone: string): Promise<string | undefined> =>
  (await api('GET', `/v1/consent/history/+${phone}`)).body.current?.status;
