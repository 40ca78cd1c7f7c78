import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { anInbox } from './conversations-fixture.ts';

eachStore("the business's own phone", (kind) => {
  it('adds each message written on it to the log once, and marks the chat as read', async (t) => {
    const { gateway, device, api, write, receives } = await anInbox(t, kind);
    const usage = async () => (await api('GET', '/v1/usage')).body;
    const before = await usage();
    write(ANNA, 'Are you open?');
    assert.equal((await receives(ANNA, 'Are you open?')).unread_count, 1);
    const { netId } = gateway.sandbox.phone(PHONE).write({ to: ANNA, content: { type: 'text', body: 'From nine' } });
    assert.equal((await receives(ANNA, 'From nine')).unread_count, 0);
    const outbound = async () => (await api('GET', `${device.path}/messages?direction=outbound`)).body.messages;
    const [entry, ...more] = await outbound();
    assert.deepEqual([entry.body, entry.status, entry.chat_id, more], ['From nine', 'sent', `${ANNA}@s.whatsapp.net`, []]);
    const shown = await device.message(entry.id);
    assert.deepEqual([shown.from_phone, shown.wa_message_id, shown.sender, shown.error], [true, netId, null, null]);
    const sent = async () =>
      (await api('GET', '/v1/events/pull?limit=200')).body.events.filter(({ type }: { type: string }) => type === 'message.sent');
    const [event, ...others] = await gateway.until('it is told', async () => (await sent()).length > 0 && sent());
    assert.deepEqual([event.data.message_id, event.data.status, event.data.from_phone, others], [entry.id, 'sent', true, []]);
    const { body, sent_by, wa_message_id } = event.data;
    assert.deepEqual([body, sent_by, wa_message_id], ['From nine', { kind: 'phone', id: null, name: null }, netId]);
    const found = (await api('GET', `${device.path}/messages?wa_message_id=${netId}`)).body.messages;
    assert.deepEqual(
      found.map(({ id }: { id: string }) => id),
      [entry.id],
    );
    assert.deepEqual((await api('GET', `${device.path}/messages?wa_message_id=${netId}x`)).body.messages, []);
    assert.deepEqual(await usage(), before);
    assert.equal(gateway.sandbox.journal.of('accepted').filter(({ phone }) => phone === PHONE).length, 0, 'it is not sent by us');

    gateway.sandbox.device(PHONE).fault({ kind: 'drop' });
    write(ANNA, 'Thanks');
    assert.equal((await receives(ANNA, 'Thanks')).unread_count, 1);
    assert.equal((await outbound()).length, 1);
  });

  it('can edit, delete and react to messages written on it, as the API can', async (t) => {
    const { gateway, device, api, receives } = await anInbox(t, kind);
    const phone = gateway.sandbox.phone(PHONE);
    const { netId } = phone.write({ to: ANNA, content: { type: 'text', body: 'Form nine' } });
    await receives(ANNA, 'Form nine');
    const [{ id }] = (await api('GET', `${device.path}/messages`)).body.messages;
    phone.do({ to: ANNA, target: netId, act: { kind: 'edited', body: 'From nine' } });
    phone.do({ to: ANNA, target: netId, act: { kind: 'reaction', emoji: '👍' } });
    const seen = await gateway.until('both are seen', async () => {
      const message = await device.message(id);
      return message.edited_at && message.reactions && message;
    });
    assert.deepEqual(
      [seen.body, seen.reactions.map((one: { emoji: string; sender: unknown }) => [one.emoji, one.sender])],
      ['From nine', [['👍', null]]],
    );
    const deleted = api('DELETE', `${device.path}/messages/${id}`);
    await gateway.until('it is gone', async () => (await device.message(id)).status === 'deleted');
    assert.equal((await deleted).status, 200);
    assert.equal(gateway.sandbox.phone(ANNA).receipts(netId).deleted, true);
  });

  it('marks earlier messages as read when a chat is opened on it', async (t) => {
    const { gateway, device, api, write, receives, chat } = await anInbox(t, kind);
    write(ANNA, 'One');
    write(ANNA, 'Two');
    assert.equal((await receives(ANNA, 'Two')).unread_count, 2);
    gateway.sandbox.phone(PHONE).look(ANNA);
    await gateway.until('it is read', async () => (await chat(ANNA)).unread_count === 0);
    write(ANNA, 'Three');
    assert.equal((await receives(ANNA, 'Three')).unread_count, 1);

    // Read while nobody here was looking: both are told together.
    await api('POST', `${device.path}/disconnect`);
    write(ANNA, 'Four');
    await gateway.clock.advance(100);
    gateway.sandbox.phone(PHONE).look(ANNA);
    await api('POST', `${device.path}/connect`);
    await receives(ANNA, 'Four');
    await gateway.until('all of it is read', async () => (await chat(ANNA)).unread_count === 0);
    assert.deepEqual(await gateway.sandbox.journal.of('seen'), [], 'nobody is told that a gateway read it');
  });
});
