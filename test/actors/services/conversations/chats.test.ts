import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { anInbox, inboxOf } from './conversations-fixture.ts';

const BEN = '6281211110002';

eachStore('the inbox', (kind) => {
  it('shows a chat with messages in both directions and its unread count', async (t) => {
    const { gateway, device, write, receives, chat } = await anInbox(t, kind);
    gateway.sandbox.phone(ANNA).set({ name: 'Anna' });
    write(ANNA, 'Hello');
    write(ANNA, 'Anybody?');
    const seen = await receives(ANNA, 'Anybody?');
    assert.deepEqual([seen.chat_name, seen.unread_count, seen.is_group, seen.status, seen.agent_id], ['Anna', 2, 0, 'open', null]);
    await device.text(ANNA, 'At your service');
    assert.equal((await receives(ANNA, 'At your service')).unread_count, 2);
    assert.deepEqual((await chat(ANNA)).notes, []);
  });

  it("keeps a chat marked as read until the chat's next message", async (t) => {
    const { device, api, write, receives } = await anInbox(t, kind);
    write(ANNA, 'one');
    await receives(ANNA, 'one');
    assert.equal((await api('POST', `${device.path}/chats/${ANNA}/read`)).body.unread_count, 0);
    write(ANNA, 'two');
    assert.equal((await receives(ANNA, 'two')).unread_count, 1);
  });

  it('accepts any status change, and reopens a resolved chat, but not a pending one, when a message arrives', async (t) => {
    const { gateway, device, api, write, receives, chat } = await anInbox(t, kind);
    const to = async (status: string) => (await api('PATCH', `${device.path}/chats/${ANNA}`, { status })).status;
    write(ANNA, 'one');
    await receives(ANNA, 'one');
    assert.deepEqual([await to('open'), await to('pending'), await to('open'), await to('resolved')], [200, 200, 200, 200]);
    assert.equal((await chat(ANNA)).status, 'resolved');
    write(ANNA, 'two');
    assert.equal((await receives(ANNA, 'two')).status, 'open');
    await to('pending');
    write(ANNA, 'still there?');
    assert.equal((await receives(ANNA, 'still there?')).status, 'pending');
    await to('resolved');
    await gateway.store
      .collection({ name: 'messages', indexes: [] })
      .updateMany({ direction: 'inbound' }, { $set: { outbox_pending: true } });
    const id = await device.text(ANNA, 'three');
    await gateway.until('all is followed up', async () => (await device.message(id)).status === 'read');
    assert.equal((await receives(ANNA, 'three')).status, 'resolved');
  });

  it('keeps the tags, notes, pin and archive mark of a chat', async (t) => {
    const { gateway, device, api, write, receives, chat, list } = await anInbox(t, kind);
    write(ANNA, 'Hi');
    await receives(ANNA, 'Hi');
    const path = `${device.path}/chats/${ANNA}`;
    const tags = [{ name: 'VIP', color: '#d4a017' }];
    const changed = (await gateway.during(api('PATCH', path, { pinned: true, archived: true, tags }))).body;
    assert.deepEqual([changed.pinned, changed.archived, changed.tags], [true, true, tags]);
    assert.equal((await api('POST', `${path}/notes`, { text: 'first' })).status, 201);
    assert.deepEqual((await api('POST', `${path}/notes`, { text: 'second' })).body.notes, ['second', 'first']);
    assert.deepEqual((await api('DELETE', `${path}/notes/0`)).body, { ok: true });
    assert.equal((await api('DELETE', `${path}/notes/1`)).status, 404);
    assert.deepEqual((await chat(ANNA)).notes, ['first']);
    assert.deepEqual([(await list('tag=VIP')).length, (await list('tag=other')).length], [1, 0]);
    assert.equal((await api('PATCH', path, { colour: 'red' })).status, 400);
  });

  it('keeps up to 32,768 characters of notes per chat', async (t) => {
    const { device, api, write, receives, chat } = await anInbox(t, kind);
    write(ANNA, 'Hi');
    await receives(ANNA, 'Hi');
    const path = `${device.path}/chats/${ANNA}/notes`;
    const add = async (text: string) => (await api('POST', path, { text })).body;
    for (let nth = 0; nth < 7; nth += 1) await add('x'.repeat(4_096));
    await add('y'.repeat(4_095));
    assert.equal((await add('no')).code, 'LIMIT_REACHED');
    assert.equal((await add('z')).notes.length, 9);
    await api('DELETE', `${path}/8`);
    assert.equal((await add('room again')).notes[0], 'room again');
    assert.equal((await chat(ANNA)).notes.length, 9);
  });

  it('can be filtered, searched and paged', async (t) => {
    const { gateway, device, api, write, receives, list } = await anInbox(t, kind);
    const people = Array.from({ length: 5 }, (_, nth) => `628121111010${nth}`);
    for (const one of people) write(one, `from ${one}`);
    for (const one of people) await receives(one, `from ${one}`);
    await api('POST', `${device.path}/chats/${people[0]}/read`);
    await gateway.during(api('PATCH', `${device.path}/chats/${people[1]}`, { pinned: true }));

    assert.deepEqual((await list('unread=false')).map(toNumber), [people[0]]);
    assert.deepEqual((await list('pinned=true')).map(toNumber), [people[1]]);
    assert.deepEqual((await list(`q=${people[2]}`)).map(toNumber), [people[2]]);
    assert.deepEqual((await list(`q=${people[2]!.replace('62', '0')}`)).map(toNumber), [people[2]]);
    assert.equal((await list('agent_id=none&status=open')).length, 5);
    const first = (await api('GET', `${device.path}/chats?limit=3`)).body;
    const rest = `before=${first.next_before}&before_id=${first.next_before_id}`;
    const second = (await api('GET', `/v1/inbox?session_id=${device.id}&limit=3&${rest}`)).body;
    assert.deepEqual([...first.chats, ...second.chats].map(toNumber).toSorted(), people);
    assert.equal(second.next_before, null);
  });

  it('shows the messages of a chat, but nothing from other tenants', async (t) => {
    const { gateway, device, api, write, receives } = await anInbox(t, kind);
    write(ANNA, 'Hi');
    write(BEN, 'Hey');
    await receives(ANNA, 'Hi');
    const { messages } = (await api('GET', `${device.path}/chats/${ANNA}/messages`)).body;
    assert.deepEqual(
      messages.map(({ body }: { body: string }) => body),
      ['Hi'],
    );
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await other.api('GET', `${device.path}/chats/${ANNA}`)).status, 404);
    assert.deepEqual((await other.api('GET', '/v1/inbox')).body.chats, []);
    assert.equal((await api('GET', `${device.path}/chats/6281211119999`)).status, 404);
  });

  it('is correct after a crash in the middle of an update', async (t) => {
    const { gateway, acme, device, write } = await anInbox(t, kind);
    await gateway.node.actors.shutdown();
    for (let number = 0; number < 5; number += 1) write(ANNA, `no. ${number}`);
    const restarted = await gateway.crash();
    const { receives } = inboxOf(restarted, restarted.as(acme.tokens.token), device.path);
    assert.equal((await receives(ANNA, 'no. 4')).unread_count, 5);
  });
});

const toNumber = ({ chat_id }: { chat_id: string }): string => chat_id.split('@')[0]!;
