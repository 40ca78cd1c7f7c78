import assert from 'node:assert/strict';
import { it } from 'node:test';
import { contactsIn } from '../../../../store/contacts/contacts.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, phoneNo } from './contacts-fixture.ts';

eachStore('contacts', (kind) => {
  it('are stored with their tags and attributes', async (t) => {
    const { add, ask } = await anAddressBook(t, kind);
    const anna = await add('0812-1111-0001', { name: 'Anna', var1: 'gold', tags: ['VIP', 'vip', 'Bandung'], attrs: { city: 'Bandung' } });
    assert.deepEqual([anna.phone, anna.country, anna.tags, anna.attrs], [ANNA, 'ID', ['VIP', 'Bandung'], { city: 'Bandung' }]);
    assert.deepEqual([anna.var1, anna.var2, anna.group_id, anna.last_message_at], ['gold', null, null, null]);
    assert.deepEqual(await ask(200, 'GET', `/v1/contacts/${anna.id}`), anna);
    assert.equal(anna.consent, null);
    await ask(200, 'PUT', `/v1/consent/${ANNA}`, { status: 'opted_out' });
    const [listed] = (await ask(200, 'GET', '/v1/contacts')).contacts;
    assert.deepEqual(listed, { ...anna, consent: 'opted_out' });
    const { tags } = await ask(200, 'GET', '/v1/tags');
    assert.deepEqual(
      tags.map(({ name, color }: { name: string; color: string }) => [name, color]),
      [
        ['Bandung', '#8e8e93'],
        ['VIP', '#8e8e93'],
      ],
    );
    const { attributes } = await ask(200, 'GET', '/v1/attributes');
    assert.deepEqual(
      attributes.map(({ key, label, type }: Record<string, string>) => [key, label, type]),
      [['city', 'city', 'text']],
    );
  });

  it('are unique by number', async (t) => {
    const { add, ask, gateway } = await anAddressBook(t, kind);
    const anna = await add(ANNA);
    assert.equal((await ask(409, 'POST', '/v1/contacts', { phone: `+${ANNA}` })).code, 'CONFLICT');
    const ben = await add(phoneNo(2));
    assert.equal((await ask(409, 'PATCH', `/v1/contacts/${ben.id}`, { phone: ANNA })).code, 'CONFLICT');
    assert.equal((await ask(400, 'POST', '/v1/contacts', { phone: '+999 1234567' })).code, 'INVALID_NUMBER');
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await other.api('POST', '/v1/contacts', { phone: ANNA })).status, 201);
    assert.equal((await other.api('GET', `/v1/contacts/${anna.id}`)).status, 404);
    assert.equal((await other.api('DELETE', `/v1/contacts/${anna.id}`)).status, 404);
  });

  it('keep the fields that an update omits', async (t) => {
    const { add, ask } = await anAddressBook(t, kind);
    const { id } = await add(ANNA, { name: 'Anna', tags: ['VIP'], attrs: { city: 'Bandung', size: 'M' } });
    const changed = await ask(200, 'PATCH', `/v1/contacts/${id}`, {
      name: null,
      attrs: { city: null, shoe: '38' },
      phone: '+1 202 555 0143',
    });
    assert.deepEqual([changed.name, changed.tags, changed.attrs, changed.country], [null, ['VIP'], { size: 'M', shoe: '38' }, 'US']);
    assert.deepEqual((await ask(200, 'PATCH', `/v1/contacts/${id}`, { tags: [] })).tags, []);
    for (const wrong of [{}, { nickname: 'A' }, { attrs: { 'Shoe Size': '38' } }, { tags: [''] }, { group_id: id }])
      assert.equal((await ask(400, 'PATCH', `/v1/contacts/${id}`, wrong)).code, 'VALIDATION_FAILED');
    await ask(200, 'DELETE', `/v1/contacts/${id}`);
    await ask(404, 'GET', `/v1/contacts/${id}`);
  });

  it('can be searched by name, number, tag and group, in pages', async (t) => {
    const { add, ask, names } = await anAddressBook(t, kind);
    const group = await ask(201, 'POST', '/v1/contact-groups', { name: 'Bali' });
    for (let nth = 0; nth < 7; nth += 1)
      await add(phoneNo(nth), { name: `Person ${nth}`, tags: nth % 2 ? ['odd'] : ['even'], group_id: nth < 3 ? group.id : null });
    assert.deepEqual(await names('q=PERSON%203'), ['Person 3']);
    assert.deepEqual(await names(`q=${encodeURIComponent('+62 812-10000005')}`), ['Person 5']);
    assert.deepEqual(await names(`q=${encodeURIComponent('(0812) 1000-0005')}`), ['Person 5']);
    for (const written of ['+62 812-10000005', '081210000005'])
      assert.deepEqual(await names(`phone=${encodeURIComponent(written)}`), ['Person 5']);
    assert.deepEqual(await names(`phone=${encodeURIComponent('+62 812-1000000')}`), []);
    assert.equal((await ask(400, 'GET', '/v1/contacts?phone=nobody')).code, 'INVALID_NUMBER');
    assert.deepEqual(await names('tag=Odd'), ['Person 5', 'Person 3', 'Person 1']);
    assert.deepEqual(await names(`tag=even&group_id=${group.id}`), ['Person 2', 'Person 0']);
    assert.deepEqual(await names('tag=no_such'), []);
    const first = await ask(200, 'GET', '/v1/contacts?limit=4');
    const second = await ask(200, 'GET', `/v1/contacts?limit=4&before=${first.next_before}&before_id=${first.next_before_id}`);
    assert.deepEqual([first.contacts.length, second.contacts.length, second.next_before], [4, 3, null]);
    assert.equal(new Set([...first.contacts, ...second.contacts].map(({ id }: { id: string }) => id)).size, 7);
    assert.equal((await ask(404, 'GET', `/v1/contacts?segment_id=${group.id}`)).code, 'NOT_FOUND');
  });

  it('show the time of their last message, whichever direction it went', async (t) => {
    const { gateway, acme, add, ask } = await anAddressBook(t, kind);
    const device = await acme.linked(PHONE);
    const { id } = await add(ANNA);
    const lastMessage = async () => (await ask(200, 'GET', `/v1/contacts/${id}`)).last_message_at;
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Hello' } });
    const received = await gateway.until('it is noted', lastMessage);
    await device.text(ANNA, 'Hi');
    await gateway.until('the answer is noted', async () => (await lastMessage()) > received);
  });

  it('are created once for a stranger who writes, and can be completed later', async (t) => {
    const { gateway, acme, ask, names } = await anAddressBook(t, kind);
    await acme.linked(PHONE);
    const anna = gateway.sandbox.phone(ANNA);
    anna.set({ name: ' Anna W. ' });
    for (const body of ['Hello', 'Anybody there?']) anna.write({ to: PHONE, content: { type: 'text', body } });
    await gateway.until('they are known', async () => (await names('')).length > 0);
    const [met] = (await ask(200, 'GET', '/v1/contacts')).contacts;
    assert.deepEqual([met.phone, met.name, met.country, met.tags], [ANNA, 'Anna W.', 'ID', []]);
    const added = await ask(201, 'POST', '/v1/contacts', { phone: `+${ANNA}`, tags: ['VIP'] });
    assert.deepEqual([added.id, added.name, added.tags], [met.id, 'Anna W.', ['VIP']]);
    assert.equal((await ask(409, 'POST', '/v1/contacts', { phone: ANNA })).code, 'CONFLICT');
    anna.write({ to: PHONE, content: { type: 'text', body: 'Thanks' } });
    await gateway.until(
      'that is noted',
      async () => (await ask(200, 'GET', `/v1/contacts/${met.id}`)).last_message_at > met.last_message_at,
    );
    assert.deepEqual(await names(''), ['Anna W.']);
  });

  it('are unique by hidden address, even after their number becomes known', async (t) => {
    const { gateway, acme, ask, names } = await anAddressBook(t, kind);
    const device = await acme.linked(PHONE);
    const anna = gateway.sandbox.phone(ANNA);
    const hasWritten = (count: number) => async () => {
      const { chats } = await ask(200, 'GET', `${device.path}/chats`);
      return chats.length === 1 && chats[0].unread_count === count;
    };
    anna.set({ name: 'Anna', lid: true, tellsNumber: false });
    anna.write({ to: PHONE, content: { type: 'text', body: 'Hello' } });
    await gateway.until('it is in the inbox', hasWritten(1));
    await gateway.until('she is a contact', async () => (await names('')).length > 0);
    anna.set({ tellsNumber: true });
    anna.write({ to: PHONE, content: { type: 'text', body: 'It is me' } });
    anna.set({ lid: false });
    anna.write({ to: PHONE, content: { type: 'text', body: 'From my number' } });
    await gateway.until('all are in one chat', hasWritten(3));
    assert.deepEqual(await names(''), ['Anna']);
  });

  it('can be looked up by number in bulk', async (t) => {
    const { add, acme, gateway } = await anAddressBook(t, kind);
    await add(ANNA, { name: 'Anna' });
    const contacts = contactsIn(gateway.store);
    const found = await contacts.byPhones(acme.id, [ANNA, phoneNo(3)]);
    assert.deepEqual(
      found.map(({ name }) => name),
      ['Anna'],
    );
    assert.deepEqual(await contacts.byPhones(acme.id, []), []);
  });
});
