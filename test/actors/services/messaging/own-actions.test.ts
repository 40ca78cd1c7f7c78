import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { anInbox } from '../conversations/conversations-fixture.ts';

const SECOND = 1_000;

eachStore('a message sent by the business', (kind) => {
  it("can be edited, and the edit appears on the recipient's phone", async (t) => {
    const { device, api, gateway, anna, sent } = await aTalk(t, kind);
    const id = await sent('We open at 8');
    const edited = await gateway.during(api('PATCH', `${device.path}/messages/${id}`, { body: 'We open at 9' }));
    assert.deepEqual([edited.status, edited.body.body, edited.body.status], [200, 'We open at 9', 'read']);
    assert.equal(typeof edited.body.edited_at, 'number');
    assert.equal(anna.receipts(edited.body.wa_message_id).body, 'We open at 9');
    assert.equal((await api('GET', `${device.path}/chats/${ANNA}`)).body.last_message, 'We open at 9');
  });

  it('can be deleted for everyone, and its log entry is then kept without the text', async (t) => {
    const { device, api, gateway, anna, sent } = await aTalk(t, kind);
    const id = await sent('wrong chat');
    const before = await device.message(id);
    assert.deepEqual((await gateway.during(api('DELETE', `${device.path}/messages/${id}`))).body, { ok: true });
    const { status, body, deleted_at } = await device.message(id);
    assert.deepEqual([status, body, typeof deleted_at], ['deleted', null, 'number']);
    assert.equal(anna.receipts(before.wa_message_id).deleted, true);
    for (const [method, more] of [['DELETE'], ['PATCH', { body: 'x' }]] as const)
      assert.equal((await api(method, `${device.path}/messages/${id}`, more)).body.code, 'CONFLICT');
    assert.equal((await api('GET', `${device.path}/messages?status=deleted`)).body.messages.length, 1);
  });

  it('can be given a reaction, which can be changed and removed', async (t) => {
    const { device, api, gateway, anna, write, receives } = await aTalk(t, kind);
    const { netId } = write(ANNA, 'Are you open?');
    await receives(ANNA, 'Are you open?');
    const [theirs] = (await api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    const react = (emoji: string) => gateway.during(api('POST', `${device.path}/messages/${theirs.id}/reaction`, { emoji }));
    assert.deepEqual(emojiIn((await react('👍')).body), ['👍']);
    assert.equal(anna.receipts(netId).reactions.get(PHONE), '👍');
    await gateway.clock.advance(SECOND);
    assert.deepEqual(emojiIn((await react('❤️')).body), ['❤️']);
    await gateway.clock.advance(SECOND);
    assert.deepEqual(emojiIn((await react('')).body), []);
    assert.equal(anna.receipts(netId).reactions.size, 0);
    const { messages } = (await api('GET', `${device.path}/messages?type=reaction`)).body;
    assert.deepEqual(
      messages.map(({ direction, body }: { direction: string; body: string }) => `${direction} ${body}`),
      ['outbound ', 'outbound ❤️', 'outbound 👍'],
    );
    assert.equal((await api('POST', `${device.path}/messages/${messages[0].id}/reaction`, { emoji: '👍' })).body.code, 'CONFLICT');
  });

  it('accepts a single emoji as a reaction, and nothing else', async (t) => {
    const { device, api, gateway, sent } = await aTalk(t, kind);
    const path = `${device.path}/messages/${await sent('Hi')}/reaction`;
    for (const emoji of ['👨‍👩‍👧', '👍🏽', '🇮🇩', '❤', '❤️', '1️⃣'])
      assert.equal((await gateway.during(api('POST', path, { emoji }))).status, 200, emoji);
    for (const emoji of ['hello', '1', '👍👍', ' ', '👍 '])
      assert.equal((await api('POST', path, { emoji })).body.code, 'VALIDATION_FAILED', emoji);
  });

  it('stays unchanged if the requested action is not possible', async (t) => {
    const { device, api, gateway, write, receives, sent } = await aTalk(t, kind);
    write(ANNA, 'Hi');
    await receives(ANNA, 'Hi');
    const [theirs] = (await api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    const id = await sent('ours');
    const codeOf = async (method: string, of: string, body?: object) =>
      (await api(method, `${device.path}/messages/${of}`, body)).body.code;
    assert.equal(await codeOf('PATCH', theirs.id, { body: 'forged' }), 'CONFLICT');
    assert.equal(await codeOf('DELETE', '01JZX5ZB4T8QKX3N9V7C2M6D1E'), 'NOT_FOUND');
    await api('POST', `${device.path}/disconnect`);
    assert.equal(await codeOf('DELETE', id), 'NOT_CONNECTED');
    assert.equal((await api('POST', `${device.path}/chats/${ANNA}/presence`, { state: 'composing' })).body.code, 'NOT_CONNECTED');
    const queued = await device.text(ANNA, 'later', { connect_only: false });
    assert.equal(await codeOf('PATCH', queued, { body: 'x' }), 'CONFLICT');
    await api('POST', `${device.path}/connect`);
    await gateway.until('it left', async () => (await device.message(queued)).status === 'read');
    gateway.sandbox.device(PHONE).fault({ kind: 'refuse', forMs: SECOND });
    const refused = await gateway.during(api('PATCH', `${device.path}/messages/${id}`, { body: 'x' }));
    assert.deepEqual([refused.status, refused.body.code], [409, 'CONFLICT']);
    assert.equal((await device.message(id)).body, 'ours');
  });

  it('is edited later, and only once, if the network does not respond at first', async (t) => {
    const { device, api, gateway, anna, sent } = await aTalk(t, kind);
    const id = await sent('one');
    const { wa_message_id } = await device.message(id);
    gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 60 * SECOND });
    const answer = await gateway.during(api('PATCH', `${device.path}/messages/${id}`, { body: 'two' }));
    assert.deepEqual([answer.status, answer.body.code], [504, 'DEVICE_TIMEOUT']);
    assert.equal((await device.message(id)).body, 'one');
    await gateway.clock.advance(60 * SECOND);
    await api('POST', `${device.path}/restart`);
    await gateway.until('it is changed', async () => (await device.message(id)).body === 'two');
    assert.equal(anna.receipts(wa_message_id).body, 'two');
  });

  it('is edited later on the same connection if the network does not respond at first', async (t) => {
    const { device, api, gateway, anna, sent } = await aTalk(t, kind);
    const id = await sent('one');
    const { wa_message_id } = await device.message(id);
    const pending = () => gateway.store.collection({ name: 'message_actions', indexes: [] }).countDocuments({});
    gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 20 * SECOND });
    assert.equal((await gateway.during(api('PATCH', `${device.path}/messages/${id}`, { body: 'two' }))).body.code, 'DEVICE_TIMEOUT');
    await gateway.until('it is changed', async () => (await device.message(id)).body === 'two');
    assert.deepEqual([anna.receipts(wa_message_id).body, await pending()], ['two', 0]);
    gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 60 * SECOND });
    await gateway.during(api('DELETE', `${device.path}/messages/${id}`));
    assert.equal(await pending(), 1);
    await gateway.during(api('DELETE', device.path));
    await gateway.until('nothing is left', async () => (await pending()) === 0);
  });

  it('keeps its latest change, even if an earlier one never got a response', async (t) => {
    const { device, api, gateway, anna, sent } = await aTalk(t, kind);
    const id = await sent('one');
    const { wa_message_id } = await device.message(id);
    const pending = () => gateway.store.collection({ name: 'message_actions', indexes: [] }).countDocuments({});
    const path = `${device.path}/messages/${id}`;
    gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 90 * SECOND });
    for (const [body, emoji] of [
      ['two', '👍'],
      ['three', '❤️'],
    ]) {
      const asked = [api('PATCH', path, { body }), api('POST', `${path}/reaction`, { emoji })];
      for (const answer of await gateway.during(Promise.all(asked))) assert.equal(answer.body.code, 'DEVICE_TIMEOUT');
      await gateway.clock.advance(20 * SECOND);
    }
    await gateway.until('nothing is left to be done', async () => (await pending()) === 0);
    await gateway.clock.advance(SECOND);
    const { body, reactions } = anna.receipts(wa_message_id);
    const message = await device.message(id);
    assert.deepEqual([body, reactions.get(PHONE)], ['three', '❤️']);
    assert.deepEqual([message.body, emojiIn(message)], ['three', ['❤️']]);
  });

  it('is deleted only once, even if several requests arrive while the network does not respond', async (t) => {
    const { device, api, gateway, anna, sent } = await aTalk(t, kind);
    const id = await sent('wrong chat');
    const { wa_message_id } = await device.message(id);
    const accepted = () => gateway.sandbox.journal.of('accepted').length;
    const before = accepted();
    gateway.sandbox.device(PHONE).fault({ kind: 'silent', forMs: 90 * SECOND });
    for (let times = 0; times < 3; times += 1)
      assert.equal((await gateway.during(api('DELETE', `${device.path}/messages/${id}`))).body.code, 'DEVICE_TIMEOUT');
    await gateway.until('it is deleted', async () => (await device.message(id)).status === 'deleted');
    await gateway.clock.advance(120 * SECOND);
    assert.deepEqual([anna.receipts(wa_message_id).deleted, accepted() - before], [true, 1]);
  });

  it('is deleted in the log after a restart if the process crashes before the network responds', async (t) => {
    const { device, api, gateway, acme, anna, sent } = await aTalk(t, kind);
    const id = await sent('one');
    const { wa_message_id } = await device.message(id);
    gateway.sandbox.device(PHONE).fault({ kind: 'slow', forMs: 5 * SECOND });
    const asked = api('DELETE', `${device.path}/messages/${id}`).catch(() => null);
    await gateway.until('the network has it', () => anna.receipts(wa_message_id).deleted);
    const restarted = await gateway.crash();
    await asked;
    const message = async () => (await restarted.as(acme.tokens.token)('GET', `${device.path}/messages/${id}`)).body;
    await restarted.until('the log says so too', async () => (await message()).status === 'deleted');
    assert.equal(restarted.sandbox.journal.of('accepted').filter(({ to }) => to?.startsWith(ANNA)).length, 2);
  });
});

eachStore('a chat with a customer', (kind) => {
  it('shows typing and read receipts to the customer', async (t) => {
    const { device, api, gateway, anna, write, receives } = await aTalk(t, kind);
    const first = write(ANNA, 'Hi');
    const second = write(ANNA, 'Anybody there?');
    await receives(ANNA, 'Anybody there?');
    assert.deepEqual((await api('POST', `${device.path}/chats/${ANNA}/presence`, { state: 'composing' })).body, { ok: true });
    await gateway.until('Anna sees it', () => anna.presences()[0]?.state === 'composing');
    assert.equal(anna.receipts(first.netId).seenBy.size, 0);
    await api('POST', `${device.path}/chats/${ANNA}/read`);
    await gateway.until('both are seen', () => [first, second].every(({ netId }) => anna.receipts(netId).seenBy.has(PHONE)));
    await api('POST', `${device.path}/chats/${ANNA}/read`);
    await gateway.clock.advance(SECOND);
    assert.equal(gateway.sandbox.journal.of('seen').length, 2);
  });

  it('allows quotes only of its own messages, and names the quoted message in replies', async (t) => {
    const { gateway, device, api, write, receives, sent } = await aTalk(t, kind);
    const ours = await sent('Hi');
    write('6281211110002', 'from Ben');
    await receives('6281211110002', 'from Ben');
    const [bens] = (await api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    const reply = (reply_to: string) => api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'x', reply_to });
    const { id } = (await reply(ours)).body;
    assert.equal((await device.message(id)).reply_to, ours);
    const { netId } = gateway.sandbox.phone(ANNA).messages()[0]!;
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'yes' }, quotes: netId });
    await receives(ANNA, 'yes');
    const [theirs] = (await api('GET', `${device.path}/messages?chat_id=${ANNA}&direction=inbound`)).body.messages;
    assert.equal((await device.message(theirs.id)).reply_to, ours);
    const wrong = await reply(bens.id);
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'VALIDATION_FAILED']);
    assert.match(wrong.body.error, /reply_to/);
    await api('POST', `${device.path}/disconnect`);
    const queued = await device.text(ANNA, 'waits', { connect_only: false });
    const early = { chat_id: ANNA, type: 'text', body: 'x', reply_to: queued, connect_only: false };
    assert.equal((await api('POST', `${device.path}/messages`, early)).body.code, 'VALIDATION_FAILED');
  });
});

const emojiIn = ({ reactions = [] }: { reactions?: { emoji: string }[] }): string[] => reactions.map(({ emoji }) => emoji);

async function aTalk(scope: Scope, kind: StoreKind) {
  const fixture = await anInbox(scope, kind);
  const { gateway, device } = fixture;
  return {
    ...fixture,
    anna: gateway.sandbox.phone(ANNA),
    /** Sends Anna a text, which she reads. */
    async sent(body: string): Promise<string> {
      const id = await device.text(ANNA, body);
      await gateway.until('it is read', async () => (await device.message(id)).status === 'read');
      return id;
    },
  };
}
