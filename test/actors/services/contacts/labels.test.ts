import assert from 'node:assert/strict';
import { it } from 'node:test';
import { attributesFor, labelIndexOf, MAX_LABELS, newAttribute } from '../../../../actors/services/contacts/labels.ts';
import { replacingStore } from '../../../../scripts/faults/replacing-store.ts';
import { contactsIn } from '../../../../store/contacts/contacts.ts';
import { labelsIn } from '../../../../store/contacts/labels.ts';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, bookOf, phoneNo } from './contacts-fixture.ts';

const KINDS = [
  { path: '/v1/contact-groups', list: 'contact_groups', made: { name: 'Bali' }, again: { name: 'bali' }, change: { name: 'Lombok' } },
  { path: '/v1/tags', list: 'tags', made: { name: 'VIP', color: '#D4A017' }, again: { name: 'vip' }, change: { color: '#000000' } },
  { path: '/v1/attributes', list: 'attributes', made: { key: 'city', label: 'City' }, again: { key: 'city' }, change: { type: 'number' } },
] as const;

eachStore('groups, tags and attributes', (kind) => {
  it('can be created, listed, changed and removed, with unique names', async (t) => {
    const { ask, gateway } = await anAddressBook(t, kind);
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    for (const { path, list, made, again, change } of KINDS) {
      const label = await ask(201, 'POST', path, made);
      assert.equal((await ask(409, 'POST', path, again)).code, 'CONFLICT');
      const changed = await ask(200, 'PATCH', `${path}/${label.id}`, change);
      assert.deepEqual(changed, { ...label, ...change, updated_at: changed.updated_at });
      assert.deepEqual((await ask(200, 'GET', path))[list], [changed]);
      assert.equal((await other.api('PATCH', `${path}/${label.id}`, change)).status, 404);
      assert.equal((await other.api('DELETE', `${path}/${label.id}`)).status, 404);
      await ask(200, 'DELETE', `${path}/${label.id}`);
      await ask(404, 'DELETE', `${path}/${label.id}`);
      assert.deepEqual((await ask(200, 'GET', path))[list], []);
    }
  });

  it('are renamed or removed on every contact, and are not revived by a new label with the same name', async (t) => {
    const { ask, add, names, api } = await anAddressBook(t, kind);
    const group = await ask(201, 'POST', '/v1/contact-groups', { name: 'Bali' });
    const { id } = await add(phoneNo(1), { name: 'Anna', tags: ['VIP'], attrs: { city: 'Bandung' }, group_id: group.id });
    const idOf = async (path: string, list: string) => (await api('GET', path)).body[list][0].id;
    const tag = await idOf('/v1/tags', 'tags');
    await ask(200, 'PATCH', `/v1/tags/${tag}`, { name: 'Gold' });
    assert.deepEqual((await ask(200, 'GET', `/v1/contacts/${id}`)).tags, ['Gold']);
    for (const path of [
      `/v1/tags/${tag}`,
      `/v1/attributes/${await idOf('/v1/attributes', 'attributes')}`,
      `/v1/contact-groups/${group.id}`,
    ])
      await ask(200, 'DELETE', path);
    const bare = await ask(200, 'GET', `/v1/contacts/${id}`);
    assert.deepEqual([bare.tags, bare.attrs, bare.group_id], [[], {}, null]);
    await ask(201, 'POST', '/v1/tags', { name: 'Gold' });
    assert.deepEqual(await names('tag=Gold'), []);
  });

  it('disappear from all contacts when removed, even if the process crashes', async (t) => {
    const { gateway, acme, add, ask } = await anAddressBook(t, kind);
    for (let nth = 0; nth < 5; nth += 1) await add(phoneNo(nth), { tags: ['old', 'new'], attrs: { city: 'Bandung', size: 'M' } });
    await gateway.node.actors.shutdown();
    for (const [path, list] of [
      ['/v1/tags', 'tags'],
      ['/v1/attributes', 'attributes'],
    ] as const) {
      const labels = (await ask(200, 'GET', path))[list];
      await ask(200, 'DELETE', `${path}/${labels.find(({ name, key }: Record<string, string>) => name === 'old' || key === 'city').id}`);
    }
    const restarted = await gateway.crash();
    const rows = await restarted.until('nothing is left of them', async () => {
      const found = await contactsIn(restarted.store).oldest(acme.id, {}, 10, '');
      return found.every(({ tag_ids, attrs }) => tag_ids.length === 1 && Object.keys(attrs).length === 1) && found;
    });
    assert.equal(rows.length, 5);
    assert.deepEqual((await bookOf(restarted, restarted.as(acme.tokens.token)).names('tag=new')).length, 5);
  });

  it('keep the first spelling of an attribute key, and match any other', async (t) => {
    const { api, ask, add } = await anAddressBook(t, kind);
    assert.equal((await ask(201, 'POST', '/v1/attributes', { key: 'Shoe-Size' })).key, 'Shoe-Size');
    await ask(409, 'POST', '/v1/attributes', { key: 'shoe-size' });
    const anna = await add(phoneNo(1), { attrs: { 'SHOE-SIZE': '42', City: 'Bandung' } });
    assert.deepEqual(anna.attrs, { 'Shoe-Size': '42', City: 'Bandung' });
    const changed = await ask(200, 'PATCH', `/v1/contacts/${anna.id}`, { attrs: { 'shoe-size': null, city: 'Jakarta' } });
    assert.deepEqual(changed.attrs, { City: 'Jakarta' });
    const { id } = await ask(201, 'POST', '/v1/templates', {
      name: 'hi',
      message_type: 'text',
      body: '{attr.CITY}{attr.Shoe-Size}{attr.Kode Pos}!',
    });
    assert.equal((await api('POST', `/v1/templates/${id}/preview`, { contact_id: anna.id })).body.body, 'Jakarta!');
    assert.match((await api('GET', '/v1/contacts/export')).body, /attr\.City/);
  });

  it('are limited in number, and are not all loaded again when another one is rejected', async (t) => {
    let readings = 0;
    const store = replacingStore(await kind.fresh(t), (name, raw) => ({
      find(...asked) {
        if (name === 'attributes') readings += 1;
        return raw.find(...asked);
      },
    }));
    const labels = labelsIn(store);
    await store.prepare();
    const add = (nth: number) =>
      labels.attributes.add(newAttribute('t1', { key: `a${nth}`, label: 'A', type: 'text' }, nth), MAX_LABELS.attributes);
    for (let nth = 1; nth < MAX_LABELS.attributes; nth += 1) await add(nth);
    const labelIndex = await labelIndexOf(labels, 't1');
    // Somebody else takes the last room meanwhile.
    await add(0);
    const writer = { labels, tenantId: 't1', labelIndex, now: 1 };
    const refuse = (key: string) => assert.rejects(attributesFor(writer, { [key]: 'x' }), { code: 'LIMIT_REACHED' });
    await refuse('new');
    readings = 0;
    for (let nth = 0; nth < 20; nth += 1) await refuse(`new${nth}`);
    assert.equal(Object.keys(await attributesFor(writer, { A0: 'x', a1: 'y' })).length, 2);
    assert.equal(readings, 0);
  });
});
