import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { anInbox } from './conversations-fixture.ts';

const BEN = '6281211110002';

eachStore('the name of a chat', (kind) => {
  it('is the name of the contact, else the one that the person shows; a search finds both', async (t) => {
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
    const changed = await api('PATCH', `${device.path}/chats/${ANNA}`, { pinned: true });
    assert.equal(changed.body.chat_name, 'Ibu Anna Widodo');

    await api('PATCH', path, { name: null });
    assert.equal((await chat(ANNA)).chat_name, 'Anna B');
  });

  it('is none where nobody ever gave one, and the name of a contact who never wrote', async (t) => {
    const { gateway, device, api, chat } = await anInbox(t, kind);
    const [toAnna, toBen] = [await device.text(ANNA, 'Hi'), await device.text(BEN, 'Hi')];
    for (const id of [toAnna, toBen]) await gateway.until('it left', async () => (await device.message(id)).sent_at !== null);
    await gateway.until('both chats are there', async () => (await chat(ANNA)).id && (await chat(BEN)).id);
    await api('POST', '/v1/contacts', { phone: BEN, name: 'Ben' });
    assert.deepEqual([(await chat(ANNA)).chat_name, (await chat(BEN)).chat_name], [null, 'Ben']);
  });
});

const namesOf = (chats: readonly { readonly chat_name: string | null }[]) => chats.map(({ chat_name }) => chat_name);
