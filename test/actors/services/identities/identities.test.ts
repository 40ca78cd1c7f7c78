import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lidOf } from '../../../../actors/network/sandbox/addresses.ts';
import { newChat } from '../../../../actors/services/conversations/outbox-handler.ts';
import { createIdentityResolver } from '../../../../actors/services/identities/identities.ts';
import { mergeChat } from '../../../../actors/services/identities/merge-chats.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { aDevice } from '../../../../scripts/bench/planted.ts';
import { chatMovesIn } from '../../../../store/conversations/chat-merges.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { type MessageRow, messagesIn, messagesSpec } from '../../../../store/messaging/messages.ts';
import { ANNA } from '../../../support/gateway.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { anInbox, inboxOf } from '../conversations/conversations-fixture.ts';

const JID = `${ANNA}@s.whatsapp.net`;

eachStore('a person with a number and a hidden address', (kind) => {
  it('has one chat from the start if the network reports both addresses', async (t) => {
    const { api, device, anna, write, receives, list } = await aCustomer(t, kind);
    write(ANNA, 'from my number');
    await receives(ANNA, 'from my number');
    anna.set({ lid: true });
    const lid = lidOf(ANNA);
    write(ANNA, 'from my hidden address');
    const chat = await receives(ANNA, 'from my hidden address');
    assert.deepEqual([chat.unread_count, (await list()).length], [2, 1]);
    const { messages } = (await api('GET', `${device.path}/chats/${ANNA}/messages`)).body;
    assert.deepEqual(new Set(messages.map(({ chat_id }: { chat_id: string }) => chat_id)), new Set([JID]));
    assert.equal((await api('GET', `${device.path}/chats/${lid}`)).body.id, chat.id);
    const sent = (await api('POST', `${device.path}/messages`, { chat_id: lid, type: 'text', body: 'Hi' })).body;
    assert.equal((await device.message(sent.id)).chat_id, JID);
  });

  it('has one chat with the data of both addresses once the number is revealed', async (t) => {
    const { gateway, api, device, anna, write, receives, list } = await aCustomer(t, kind);
    write(ANNA, 'an old matter');
    await receives(ANNA, 'an old matter');
    await gateway.during(api('PATCH', `${device.path}/chats/${ANNA}`, { tags: [{ name: 'VIP', color: 'gold' }], archived: true }));
    await api('POST', `${device.path}/chats/${ANNA}/notes`, { text: 'pays late' });
    await api('POST', `${device.path}/chats/${ANNA}/read`);
    anna.set({ lid: true, tellsNumber: false });
    const lid = lidOf(ANNA);
    for (const body of ['it is me', 'a new matter']) write(ANNA, body);
    await receives(lid, 'a new matter');
    await gateway.during(api('PATCH', `${device.path}/chats/${lid}`, { tags: [{ name: 'new', color: 'red' }], pinned: true }));
    await api('POST', `${device.path}/chats/${lid}/notes`, { text: 'who is this?' });
    assert.equal((await list()).length, 2);

    anna.set({ tellsNumber: true });
    await gateway.until('they are one', async () => (await list()).length === 1);
    const chat = (await api('GET', `${device.path}/chats/${ANNA}`)).body;
    assert.deepEqual([chat.chat_id, chat.last_message, chat.unread_count], [JID, 'a new matter', 2]);
    assert.deepEqual(chat.tags.map(({ name }: { name: string }) => name).toSorted(), ['VIP', 'new']);
    assert.deepEqual(chat.notes.toSorted(), ['pays late', 'who is this?']);
    assert.deepEqual([chat.pinned, chat.archived, chat.status], [true, false, 'open']);
    const { messages } = (await api('GET', `${device.path}/chats/${ANNA}/messages`)).body;
    assert.deepEqual(
      messages.map(({ body }: { body: string }) => body),
      ['a new matter', 'it is me', 'an old matter'],
    );
    assert.equal((await api('GET', `${device.path}/chats/${lid}`)).body.id, chat.id);
    assert.equal(gateway.sandbox.journal.of('received-acked').length, 6, 'with both marks, which are told back');
  });

  it('has one chat even if the process crashes before the number is stored', async (t) => {
    const { gateway, acme, device, anna, write, receives } = await aCustomer(t, kind);
    anna.set({ lid: true, tellsNumber: false });
    const lid = lidOf(ANNA);
    write(ANNA, 'it is me');
    await receives(lid, 'it is me');
    await gateway.node.actors.shutdown();
    anna.set({ tellsNumber: true });
    const restarted = await gateway.crash();
    const { receives: now, list } = inboxOf(restarted, restarted.as(acme.tokens.token), device.path);
    await restarted.until('they are one', async () => (await list())[0]?.chat_id === JID);
    assert.equal((await now(ANNA, 'it is me')).unread_count, 1);
    assert.equal((await list()).length, 1);
  });

  it('keeps the data of both chats, even if their merge crashes or is repeated', async (t) => {
    const { gateway, acme, device, api, anna, write, receives, list } = await aCustomer(t, kind);
    write(ANNA, 'one');
    await receives(ANNA, 'one');
    anna.set({ lid: true, tellsNumber: false });
    const lid = lidOf(ANNA);
    for (const body of ['two', 'three']) write(ANNA, body);
    await receives(lid, 'three');
    await api('POST', `${device.path}/chats/${lid}/notes`, { text: 'a note' });
    const { store } = gateway;
    const deps = { chats: chatsIn(store), moves: chatMovesIn(store), messages: messagesIn(store) };
    const merge = { tenantId: acme.id, sessionId: device.id, address: lid, phone: ANNA };
    for (const dying of deaths(deps)) await assert.rejects(async () => mergeChat(dying, merge), /killed/);
    await mergeChat(deps, merge);
    await mergeChat(deps, merge);
    const chat = (await api('GET', `${device.path}/chats/${ANNA}`)).body;
    assert.deepEqual([chat.unread_count, chat.notes, chat.last_message], [3, ['a note'], 'three']);
    assert.deepEqual((await list()).length, 1);
  });

  it('is merged only on devices that have data for the hidden address', async (t) => {
    const store = await kind.fresh(t);
    const tenantId = 'acme';
    const lid = lidOf(ANNA);
    const rows = store.collection<MessageRow>(messagesSpec);
    const [chats, moves, messages, devices] = [chatsIn(store), chatMovesIn(store), messagesIn(store), devicesIn(store)];
    const identities = identitiesIn(store);
    await store.prepare();
    const ids: string[] = [];
    for (let nth = 0; nth < 12; nth += 1) ids.push((await aDevice(store, tenantId))._id);
    const [withChat = '', withMessage = '', withBoth = '', ofOther = ''] = ids;
    const message = (session_id: string, chat_id: string) => ({
      ...aMessageRow({ _id: `${session_id}0`, created_at: 1, chat_id, session_id, net_id: session_id }),
      tenant_id: tenantId,
    });
    await rows.insertMany([message(withMessage, lid), message(withBoth, lid), message(ofOther, lidOf('628990000001'))]);
    for (const id of [withChat, withBoth]) await chats.open(newChat(message(id, lid), 1));
    const gone: string[] = [];
    const move: typeof moves.move = (sessionId, from, to) => {
      gone.push(sessionId);
      return moves.move(sessionId, from, to);
    };
    const people = createIdentityResolver({ chats, moves: { ...moves, move }, messages, devices, identities, clock: systemClock });

    await people.learn(tenantId, { address: lid, phone: ANNA, username: null, source: 'usync', at: 1 });
    assert.deepEqual(gone.toSorted(), [withChat, withMessage, withBoth].toSorted());
    const chatOf = async (id: string) => (await rows.findOne({ session_id: id }))?.chat_id;
    assert.deepEqual(await Promise.all([withMessage, withBoth].map(chatOf)), [JID, JID]);
    assert.notEqual(await chatOf(ofOther), JID);
    for (const id of [withChat, withBoth]) {
      assert.equal(await chats.find(tenantId, id, lid), null);
      assert.equal((await chats.find(tenantId, id, JID))?.chat_id, JID);
    }
  });
});

type Deps = Parameters<typeof mergeChat>[0];

/** The ports of a process that dies at each of their steps in turn, before it and after it. */
function* deaths(deps: Deps): Generator<Deps> {
  const killed = () => Promise.reject(new Error('killed'));
  yield { ...deps, chats: { ...deps.chats, open: killed } };
  yield { ...deps, chats: { ...deps.chats, open: (row) => deps.chats.open(row).then(killed) } };
  yield { ...deps, chats: { ...deps.chats, change: (...at) => deps.chats.change(...at).then(killed) } };
  yield { ...deps, moves: { ...deps.moves, move: (...at) => deps.moves.move(...at).then(killed) } };
  yield { ...deps, messages: { unread: killed } };
  yield { ...deps, chats: { ...deps.chats, remove: killed } };
}

async function aCustomer(scope: Scope, kind: StoreKind) {
  const fixture = await anInbox(scope, kind);
  return { ...fixture, anna: fixture.gateway.sandbox.phone(ANNA) };
}
