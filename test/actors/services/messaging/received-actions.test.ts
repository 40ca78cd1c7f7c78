import assert from 'node:assert/strict';
import { it } from 'node:test';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aWebhookFixture, type Fixture, fixtureOf } from '../webhooks/webhooks-fixture.ts';

const BEN = '6281211110002';
const EVENTS = ['message.reaction', 'message.edited', 'message.deleted', 'poll.vote', 'call.received', 'call.ended', 'message.received'];

eachStore("a customer's reaction", (kind) => {
  it("is logged, and only each person's latest one is shown", async (t) => {
    const { device, api, gateway, anna, ofAnna, told, sent } = await aTalk(t, kind);
    const { id, wa_message_id } = await sent('Done!');
    for (const emoji of ['👍', '❤️']) {
      ofAnna({ kind: 'reaction', emoji }, wa_message_id);
      await gateway.clock.advance(100);
    }
    gateway.sandbox.phone(BEN).do({ to: PHONE, target: wa_message_id, act: { kind: 'reaction', emoji: '🎉' } });
    const events = await told('message.reaction', 3);
    assert.deepEqual(
      (await device.message(id)).reactions.map(({ emoji }: { emoji: string }) => emoji),
      ['❤️'],
      'in another chat it is not this message that Ben reacts to',
    );
    assert.equal(events[2]!.data.target.message_id, null);
    const { emoji, target, sender, direction, phone } = events[0]!.data;
    assert.deepEqual([emoji, target, direction, phone], ['👍', { message_id: id, wa_message_id }, 'inbound', ANNA]);
    assert.deepEqual(sender, { chat_id: `${ANNA}@s.whatsapp.net`, phone: ANNA, lid: null, username: null, name: null });
    ofAnna({ kind: 'reaction', emoji: '' }, wa_message_id);
    await told('message.reaction', 4);
    assert.deepEqual((await device.message(id)).reactions ?? [], []);
    assert.equal(anna.receipts(wa_message_id).reactions.has(ANNA), false);
    const [entry] = (await api('GET', `${device.path}/messages?type=reaction`)).body.messages;
    await api('DELETE', `${device.path}/messages/${entry.id}`);
    const [deleted] = await told('message.deleted', 1);
    assert.deepEqual([deleted!.data.message_id, deleted!.data.message_type], [entry.id, 'reaction']);
    await told('message.reaction', 4);
  });
});

eachStore("a customer's action in a chat", (kind) => {
  it('can be an edit or a deletion, which changes the log and the inbox', async (t) => {
    const { device, api, gateway, ofAnna, told, received } = await aTalk(t, kind);
    const { id, wa_message_id } = await received('I want tow');
    ofAnna({ kind: 'edited', body: 'I want two' }, wa_message_id);
    const [edited] = await told('message.edited', 1);
    assert.deepEqual([edited!.data.message_id, edited!.data.body], [id, 'I want two']);
    const chat = async () => (await api('GET', `${device.path}/chats/${ANNA}`)).body;
    assert.deepEqual([(await device.message(id)).body, (await chat()).last_message], ['I want two', 'I want two']);
    await gateway.clock.advance(100);
    ofAnna({ kind: 'deleted' }, wa_message_id);
    await told('message.deleted', 1);
    const { status, body } = await device.message(id);
    assert.deepEqual([status, body, (await chat()).last_message, (await chat()).unread_count], ['deleted', null, null, 1]);
    await gateway.clock.advance(100);
    ofAnna({ kind: 'edited', body: 'too late' }, wa_message_id);
    await gateway.clock.advance(1_000);
    assert.equal((await device.message(id)).body, null);
  });

  it('is accepted only from the sender of the message', async (t) => {
    const { device, gateway, received, sent } = await aTalk(t, kind);
    const theirs = await received('Pay to account 1');
    const ours = await sent('Pay to account 2');
    const ben = gateway.sandbox.phone(BEN);
    for (const { wa_message_id: target } of [theirs, ours]) {
      ben.do({ to: PHONE, target, act: { kind: 'edited', body: 'Pay to account 3' } });
      ben.do({ to: PHONE, target, act: { kind: 'deleted' } });
    }
    gateway.sandbox.phone(ANNA).do({ to: PHONE, target: ours.wa_message_id, act: { kind: 'edited', body: 'Pay nothing' } });
    await gateway.clock.advance(2_000);
    for (const { id, body } of [theirs, ours]) assert.equal((await device.message(id)).body, body);
    assert.equal(gateway.sandbox.journal.of('received-acked').length, 6);
  });

  it("can change only the person's own messages, unless the person is an admin of the group", async (t) => {
    const { device, api, gateway, received, sent } = await aTalk(t, kind);
    const [anna, ben] = [gateway.sandbox.phone(ANNA), gateway.sandbox.phone(BEN)];
    const others = [await received('Pay to account 1'), await sent('We refund you on Friday')];
    const group = gateway.sandbox.createGroup([ANNA, BEN, PHONE]);
    assert.equal((await gateway.during(api('GET', `${device.path}/groups/${group}`))).status, 200);
    const known = (netId: string) => messagesIn(gateway.store).known(device.id, { netId });
    const writes = async (phone: typeof anna) => {
      const { netId } = phone.write({ to: group, content: { type: 'text', body: 'Hi all' } });
      await gateway.until('it came', () => known(netId));
      return netId;
    };
    const isDeleted = async (netId: string) => (await known(netId))?.status === 'deleted';
    const erase = (phone: typeof anna, target: string) => phone.do({ to: group, target, act: { kind: 'deleted' } });
    const [ofAnna, ofBen, alsoOfBen] = [await writes(anna), await writes(ben), await writes(ben)];

    for (const { wa_message_id } of others) for (const phone of [anna, ben]) erase(phone, wa_message_id);
    ben.do({ to: group, target: others[1].wa_message_id, act: { kind: 'reaction', emoji: '😡' } });
    const { netId: ours } = gateway.sandbox.phone(PHONE).write({ to: group, content: { type: 'text', body: 'Hi all' } });
    await gateway.until('it came', () => known(ours));
    for (const target of [ofAnna, ours]) ben.do({ to: group, target, act: { kind: 'edited', body: 'Pay to account 3' } });
    erase(ben, ofAnna);
    erase(ben, ofBen);
    await gateway.until('what Ben wrote is deleted', () => isDeleted(ofBen));
    await gateway.clock.advance(2_000);
    for (const { id, body } of others) assert.equal((await device.message(id)).body, body);
    assert.deepEqual((await device.message(others[1].id)).reactions ?? [], []);
    assert.equal(await isDeleted(ofAnna), false);
    for (const netId of [ofAnna, ours]) assert.equal((await known(netId))?.body, 'Hi all');
    erase(anna, alsoOfBen);
    await gateway.until('the admin deleted it', () => isDeleted(alsoOfBen));

    const again = await writes(ben);
    erase(gateway.sandbox.phone(PHONE), again);
    await gateway.until('the own phone deleted it', () => isDeleted(again));
  });

  it('is applied once its message arrives, even after a crash in between', async (t) => {
    const { fixture, ofAnna } = await aTalk(t, kind);
    const { gateway, acme, device, receiver } = fixture;
    const waiting = '3AEARLY';
    ofAnna({ kind: 'edited', body: 'second thoughts' }, waiting);
    ofAnna({ kind: 'vote', choices: ['Yes'] }, waiting);
    ofAnna({ kind: 'reaction', emoji: '👀' }, waiting);
    await gateway.until('all is stored', () => gateway.sandbox.journal.of('received-acked').length === 3);
    const after = fixtureOf(await gateway.crash(), acme, device, receiver);
    const rows = after.gateway.store.collection({ name: 'received_actions', indexes: [] });
    assert.equal(await rows.countDocuments({}), 1);
    const [poll] = await sendLate(after, waiting);
    assert.deepEqual([poll.body, poll.reactions[0].emoji], ['second thoughts', '👀']);
    const { options } = (await after.api('GET', `${device.path}/messages/${poll.id}/votes`)).body;
    assert.deepEqual(
      options.map(({ name, count }: { name: string; count: number }) => [name, count]),
      [
        ['Yes', 1],
        ['No', 0],
      ],
    );
    assert.equal(await rows.countDocuments({}), 0);
  });

  it("can be a vote in a poll, which replaces the person's earlier vote", async (t) => {
    const { device, api, gateway, told } = await aTalk(t, kind);
    const group = gateway.sandbox.createGroup([ANNA, BEN, PHONE]);
    const poll = { chat_id: group, type: 'poll', poll_name: 'When?', choices: ['Monday', 'Tuesday', 'Never'] };
    const { id } = (await api('POST', `${device.path}/messages`, poll)).body;
    await gateway.until('both have it', async () => (await device.message(id)).status === 'read');
    const { wa_message_id: target } = await device.message(id);
    const votes = (phone: string, choices: readonly string[], to = group) =>
      gateway.sandbox.phone(phone).do({ to, target, act: { kind: 'vote', choices } });
    votes(ANNA, ['Monday']);
    await gateway.clock.advance(100);
    votes(ANNA, ['Tuesday', 'Never']);
    votes(BEN, ['Tuesday']);
    votes(BEN, ['Never'], PHONE);
    const events = await told('poll.vote', 3);
    assert.deepEqual([events[0]!.data.message_id, events[0]!.data.choices, events[0]!.data.voter.phone], [id, ['Monday'], ANNA]);
    const { options } = (await api('GET', `${device.path}/messages/${id}/votes`)).body;
    assert.deepEqual(
      options.map(({ name, count, voters }: { name: string; count: number; voters: { phone: string }[] }) => [
        name,
        count,
        voters[0]?.phone,
      ]),
      [
        ['Monday', 0, undefined],
        ['Tuesday', 2, ANNA],
        ['Never', 1, ANNA],
      ],
    );
    const text = await device.text(ANNA, 'no poll');
    assert.equal((await api('GET', `${device.path}/messages/${text}/votes`)).body.code, 'CONFLICT');
  });

  it('can be a call, which is published with its type and its group', async (t) => {
    const { anna, gateway, told } = await aTalk(t, kind);
    const { id } = anna.call({ to: PHONE, video: true });
    const [event] = await told('call.received', 1);
    const { call_id, video, phone, caller } = event!.data;
    assert.deepEqual([call_id, video, phone, caller.phone, event!.data['group_id']], [id, true, ANNA, ANNA, null]);
    const group = gateway.sandbox.createGroup([PHONE, ANNA]);
    const ofGroup = anna.act({ act: 'call', to: PHONE, group_id: group }).id;
    const [, voice] = await told('call.received', 2);
    assert.deepEqual([voice?.data['call_id'], voice?.data['video'], voice?.data['group_id']], [ofGroup, false, group]);
  });

  it('can be a call, and each change in the call is published once', async (t) => {
    const { anna, gateway, told } = await aTalk(t, kind);
    const shop = gateway.sandbox.phone(PHONE);
    const call = (): string => anna.act({ act: 'call', to: PHONE }).id ?? '';
    const [answered, missed, refused] = [call(), call(), call()];
    await told('call.received', 3);
    shop.act({ act: 'answer', call_id: answered });
    await gateway.clock.advance(5_000);
    anna.act({ act: 'hang_up', call_id: answered });
    anna.act({ act: 'miss', call_id: missed });
    shop.act({ act: 'hang_up', call_id: refused });
    const ended = (await told('call.ended', 4)).map(({ data }) => [
      data['call_id'],
      data['outcome'],
      data['duration_ms'],
      data['caller'].phone,
    ]);
    const expected = [
      [answered, 'answered', null, ANNA],
      [answered, 'ended', 5_000, ANNA],
      [missed, 'missed', null, ANNA],
      [refused, 'rejected', null, ANNA],
    ];
    assert.deepEqual(ended.toSorted(), expected.toSorted());
    assert.throws(() => shop.act({ act: 'answer', call_id: missed }), { code: 'CONFLICT' });
  });

  it('is recorded as an event only if something subscribes to it', async (t) => {
    const fixture = await aWebhookFixture(t, kind);
    fixture.gateway.sandbox.phone(ANNA).call({ to: PHONE });
    fixture.gateway.sandbox.phone(ANNA).do({ to: PHONE, target: 'X', act: { kind: 'reaction', emoji: '👍' } });
    await fixture.gateway.until('both are stored', () => fixture.gateway.sandbox.journal.of('received-acked').length === 2);
    await fixture.gateway.clock.advance(1_000);
    const { events } = (await fixture.api('GET', '/v1/events/pull')).body;
    assert.deepEqual(
      events.filter(({ type }: { type: string }) => EVENTS.includes(type)),
      [],
    );
  });
});

/** A message arrives under an id that was spoken of before. */
async function sendLate({ gateway, api, device }: Fixture, netId: string) {
  const content = { type: 'poll', name: 'Come?', choices: ['Yes', 'No'] } as const;
  gateway.sandbox.phone(ANNA).write({ to: PHONE, content, netId });
  return gateway.until('it is there', async () => {
    const { messages } = (await api('GET', `${device.path}/messages?direction=inbound&type=poll`)).body;
    return messages[0] && [(await api('GET', `${device.path}/messages/${messages[0].id}`)).body];
  });
}

async function aTalk(scope: Scope, kind: StoreKind) {
  const fixture = await aWebhookFixture(scope, kind);
  const { gateway, device, api, receiver, subscribe, write } = fixture;
  await subscribe(EVENTS);
  const anna = gateway.sandbox.phone(ANNA);
  return {
    fixture,
    gateway,
    device,
    api,
    anna,
    ofAnna: (act: Parameters<typeof anna.do>[0]['act'], target: string) => anna.do({ to: PHONE, target, act }),
    told: (type: string, count: number) =>
      gateway.until(`${count} ${type}`, () => {
        const bodies = receiver.of(type).map(({ body }) => body);
        return bodies.length === count && bodies;
      }),
    async sent(body: string) {
      const id = await device.text(ANNA, body);
      await gateway.until('it is read', async () => (await device.message(id)).status === 'read');
      return device.message(id);
    },
    async received(body: string) {
      write(ANNA, body);
      return gateway.until('it is received', async () => {
        const [found] = (await api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
        return found?.body === body && device.message(found.id);
      });
    },
  };
}
