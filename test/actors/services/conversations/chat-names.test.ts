import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { newId } from '../../../../runtime/ids.ts';
import { present } from '../../../../runtime/invariant.ts';
import { chatKey, chatsIn } from '../../../../store/conversations/chats.ts';
import { groupsIn } from '../../../../store/groups/groups.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { anInbox } from './conversations-fixture.ts';

const BEN = '6281211110002';
const CICI = '6281211110003';

eachStore("a chat's name", (kind) => {
  it('is the contact name or else the profile name, and can be searched', async (t) => {
    const { gateway, device, api, write, receives, chat, list } = await anInbox(t, kind);
    gateway.sandbox.phone(ANNA).set({ name: 'Annie' });
    write(ANNA, 'Hello');
    assert.equal((await receives(ANNA, 'Hello')).chat_name, 'Annie');
    gateway.sandbox.phone(ANNA).set({ name: 'Anna B' });
    write(ANNA, 'Again');
    assert.equal((await receives(ANNA, 'Again')).chat_name, 'Anna B', 'nobody here gave her a name');

    const { contacts } = (await api('GET', `/v1/contacts?q=${ANNA}`)).body;
    const path = `/v1/contacts/${contacts[0].id}`;
    await api('PATCH', path, { name: 'Ibu Anna Widodo' });
    assert.equal((await chat(ANNA)).chat_name, 'Ibu Anna Widodo');
    assert.deepEqual(namesOf(await list()), ['Ibu Anna Widodo']);
    assert.deepEqual(namesOf((await api('GET', `${device.path}/chats?q=widodo`)).body.chats), ['Ibu Anna Widodo']);
    assert.deepEqual(namesOf(await list('q=anna%20b')), ['Ibu Anna Widodo'], 'the name that she shows finds her, too');
    assert.deepEqual(await list('q=budi'), []);
    const changed = await gateway.during(api('PATCH', `${device.path}/chats/${ANNA}`, { pinned: true }));
    assert.equal(changed.body.chat_name, 'Ibu Anna Widodo');

    await api('PATCH', path, { name: null });
    assert.equal((await chat(ANNA)).chat_name, 'Anna B');
  });

  it('is matched when a user searches for a group, channel, member or author', async (t) => {
    const { gateway, device, api, list } = await anInbox(t, kind);
    const verbs = sandboxVerbs(gateway.sandbox);
    gateway.sandbox.phone(CICI).set({ name: 'Cici of the market' });
    verbs.act(ANNA, { act: 'create_group', subject: 'Choir', participants: [PHONE, BEN, CICI] });
    const { id: choir } = (await gateway.during(api('GET', `${device.path}/groups`))).body.groups[0];
    await api('POST', '/v1/contacts', { phone: BEN, name: 'Ben the tenor' });
    const { id: news } = (await gateway.during(api('POST', `${device.path}/channels`, { name: 'Shop news' }))).body;
    gateway.sandbox.phone(CICI).write({ to: choir, content: { type: 'text', body: 'Who sings?' } });
    gateway.sandbox.phone(BEN).write({ to: choir, content: { type: 'text', body: 'I do' } });
    await device.text(news, 'Open on Sunday');
    await gateway.until('all of it is in the inbox', async () => {
      const names = namesOf(await list());
      return names.includes('Choir') && names.includes('Shop news') && (await bodies('')).length === 3;
    });
    async function bodies(q: string) {
      const { messages } = (await api('GET', `${device.path}/messages${q && `?q=${encodeURIComponent(q)}`}`)).body;
      return messages.map(({ body }: { body: string }) => body).toSorted();
    }
    assert.deepEqual(namesOf(await list('q=tenor')), ['Choir'], 'a contact is in it');
    assert.deepEqual(namesOf(await list('q=shop')), ['Shop news']);
    assert.deepEqual(await list('q=bass'), []);
    assert.deepEqual(await bodies('TENOR'), ['I do']);
    assert.deepEqual(await bodies('the market'), ['Who sings?'], 'the name that she showed');
    assert.deepEqual(await bodies('choir'), ['I do', 'Who sings?']);
    assert.deepEqual(await bodies('shop n'), ['Open on Sunday']);
    assert.deepEqual(await bodies('bass'), []);
    const inChat = (await api('GET', `${device.path}/chats/${choir}/messages?q=tenor`)).body.messages;
    assert.deepEqual(
      inChat.map(({ sender, sender_name }: { sender: string; sender_name: string }) => [sender, sender_name]),
      [[`${BEN}@s.whatsapp.net`, 'Ben the tenor']],
      'who wrote it is named as here',
    );
    assert.equal((await device.message(inChat[0].id)).sender_name, 'Ben the tenor');
  });

  it('is searched for in the member lists of only a limited number of groups per page of results', async (t) => {
    const { gateway, device, api, write, receives, chat } = await anInbox(t, kind);
    write(ANNA, 'Hello');
    await receives(ANNA, 'Hello');
    const { tenant_id } = (await api('GET', '/v1/me')).body;
    const pattern = present(await chatsIn(gateway.store).find(tenant_id, device.id, (await chat(ANNA)).chat_id), 'the chat');
    const strangers = Array.from({ length: 210 }, (_, nth) => ({ phone: `62899${1_000 + nth}`, lid: null, name: null }));
    const groups = Array.from({ length: 60 }, (_, nth) => ({
      group_id: `1203630000000010${10 + nth}@g.us`,
      subject: `Group ${nth}`,
      record: { members: nth === 59 ? [...strangers, { phone: BEN, lid: null, name: null }] : strangers },
    }));
    const by = { owner: { tenantId: tenant_id, sessionId: device.id, epoch: 1 }, phone: PHONE };
    await groupsIn(gateway.store).putNew(by, groups, 0);
    for (const [nth, { group_id }] of groups.entries()) {
      const place = { _id: chatKey(device.id, group_id), id: newId(nth), last_message_at: pattern.last_message_at - 1 - nth };
      await chatsIn(gateway.store).open({ ...pattern, ...place, chat_id: group_id, chat_name: null, is_group: 1 });
    }
    await api('POST', '/v1/contacts', { phone: BEN, name: 'Needle' });
    const first = (await api('GET', '/v1/inbox?q=needle')).body;
    const rest = `before=${first.next_before}&before_id=${first.next_before_id}`;
    const second = (await api('GET', `/v1/inbox?q=needle&${rest}`)).body;
    assert.deepEqual([namesOf(first.chats), namesOf(second.chats), second.next_before], [[], ['Group 59'], null]);
  });

  it('is null if neither a contact name nor a profile name is known', async (t) => {
    const { gateway, device, api, chat } = await anInbox(t, kind);
    const [toAnna, toBen] = [await device.text(ANNA, 'Hi'), await device.text(BEN, 'Hi')];
    for (const id of [toAnna, toBen]) await gateway.until('it left', async () => (await device.message(id)).sent_at !== null);
    await gateway.until('both chats are there', async () => (await chat(ANNA)).id && (await chat(BEN)).id);
    await api('POST', '/v1/contacts', { phone: BEN, name: 'Ben' });
    assert.deepEqual([(await chat(ANNA)).chat_name, (await chat(BEN)).chat_name], [null, 'Ben']);
  });
});

const namesOf = (chats: readonly { readonly chat_name: string | null }[]) => chats.map(({ chat_name }) => chat_name);
