import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../../../runtime/ids.ts';
import { labelsIn, type SegmentRule } from '../../../../store/contacts/labels.ts';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, phoneNo } from './contacts-fixture.ts';

eachStore('a renamed tag', (kind) => {
  it('stays in use in segments and campaigns, and is found by its old name until another tag takes that name', async (t) => {
    const { api, ask, add } = await anAddressBook(t, kind);
    await add(phoneNo(1), { name: 'Anna', tags: ['VIP'] });
    const rules = { all: [{ field: 'tag', op: 'is', value: 'VIP' }] };
    const segment = await ask(201, 'POST', '/v1/segments', { name: 'Best', rules });
    assert.deepEqual(segment.rules, rules);
    const preview = async (op: string) =>
      (await ask(200, 'POST', '/v1/segments/preview', { rules: { all: [{ field: 'tag', op, value: op === 'in' ? ['vip'] : 'vip' }] } }))
        .count;
    const { id } = (await ask(200, 'GET', '/v1/tags')).tags[0];
    for (const name of ['Gold', 'Platinum']) {
      assert.equal((await ask(200, 'PATCH', `/v1/tags/${id}`, { name })).name, name);
      assert.equal((await ask(200, 'GET', `/v1/segments/${segment.id}`)).rules.all[0].value, name);
      assert.equal((await ask(200, 'GET', '/v1/segments')).segments[0].rules.all[0].value, name);
      assert.equal((await ask(200, 'GET', `/v1/segments/${segment.id}/contacts`)).contacts.length, 1);
      assert.deepEqual([await preview('in'), await preview('is_not')], [1, 0], name);
      assert.equal((await ask(200, 'GET', '/v1/contacts?tag=VIP')).contacts.length, 1);
    }
    const session = await ask(201, 'POST', '/v1/sessions', {});
    const draft = { session_id: session.id, name: 'Sale', message_type: 'text', body: 'Sale', tag: 'VIP' };
    assert.equal((await api('POST', '/v1/blasts', draft)).body.tag, 'Platinum');
  });

  it('is found by its 20 most recent former names', async (t) => {
    const { ask, add, names } = await anAddressBook(t, kind);
    await add(phoneNo(1), { name: 'Anna', tags: ['name 0'] });
    const { id } = (await ask(200, 'GET', '/v1/tags')).tags[0];
    for (let nth = 1; nth <= 22; nth += 1) await ask(200, 'PATCH', `/v1/tags/${id}`, { name: `name ${nth}` });
    await ask(200, 'PATCH', `/v1/tags/${id}`, { name: 'name 21' });
    const found = await Promise.all([0, 1, 3, 20, 21, 22].map((nth) => names(`tag=name%20${nth}`)));
    assert.deepEqual(
      found.map(({ length }) => length),
      [0, 0, 1, 1, 1, 1],
    );
  });

  it('stays in use in everything saved before, even if a new tag takes its old name', async (t) => {
    const { ask, add, gateway, acme } = await anAddressBook(t, kind);
    const named = (op: SegmentRule['op'], value: string | readonly string[]) => ({
      any: [{ field: 'tag', op, value }, { field: 'name', op: 'is', value: 'nobody' } as const],
    });
    const segment = (name: string, rules: object) => ask(201, 'POST', '/v1/segments', { name, rules });
    const before = await segment('made before the tag', named('is', 'lama'));
    await add(phoneNo(1), { name: 'Anna', tags: ['lama'] });
    const is = await segment('is', named('is', 'lama'));
    const among = await segment('in', named('in', ['x', 'LAMA']));
    const isNot = await segment('is not', named('is_not', 'lama'));
    // A segment of an earlier release has no ids.
    const now = gateway.clock.now();
    const old = {
      _id: newId(now),
      tenant_id: acme.id,
      key: 'old',
      name: 'old',
      rules: named('is', 'lama'),
      created_at: now,
      updated_at: now,
    };
    await labelsIn(gateway.store).segments.add(old, 200);
    const session = await ask(201, 'POST', '/v1/sessions', {});
    const blast = await ask(201, 'POST', '/v1/blasts', {
      session_id: session.id,
      name: 'Sale',
      body: 'Sale',
      message_type: 'text',
      tag: 'lama',
    });
    const { id } = (await ask(200, 'GET', '/v1/tags')).tags[0];
    await ask(200, 'PATCH', `/v1/tags/${id}`, { name: 'baru' });
    await gateway.clock.advance(1_000);

    const budi = await add(phoneNo(2), { name: 'Budi', tags: ['lama'] });
    assert.deepEqual(budi.tags, ['lama']);
    for (const one of [before, { id: old._id }]) await ask(200, 'PATCH', `/v1/segments/${one.id}`, { name: `renamed ${one.id}` });
    const people = async (path: string) => (await ask(200, 'GET', path)).contacts.map(({ name }: { name: string }) => name);
    const found = await Promise.all([before.id, old._id, is.id, among.id, isNot.id].map((one) => people(`/v1/segments/${one}/contacts`)));
    assert.deepEqual(found, [['Anna'], ['Anna'], ['Anna'], ['Anna'], ['Budi']]);
    assert.deepEqual((await ask(200, 'GET', `/v1/segments/${among.id}`)).rules, named('in', ['x', 'baru']));
    const drafts = [await ask(200, 'GET', `/v1/blasts/${blast.id}`), ...(await ask(200, 'GET', '/v1/blasts')).blasts];
    assert.deepEqual(
      drafts.map(({ tag, total_recipients }) => [tag, total_recipients]),
      [
        ['baru', 1],
        ['baru', 1],
      ],
    );
    assert.deepEqual([await people('/v1/contacts?tag=lama'), await people('/v1/contacts?tag=baru')], [['Budi'], ['Anna']]);

    await ask(200, 'DELETE', `/v1/tags/${id}`);
    assert.deepEqual(await people(`/v1/segments/${is.id}/contacts`), [], 'the tag it means is removed');
  });
});

eachStore('a renamed attribute, group, template or device', (kind) => {
  it('stays in use in segments, campaigns and imports, even if a new one takes its old name', async (t) => {
    const { ask, add, done, gateway, acme } = await anAddressBook(t, kind);
    const device = await acme.linked('6281299990000');
    await ask(200, 'PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    await ask(200, 'PATCH', device.path, { name: 'Sales' });
    const town = await ask(201, 'POST', '/v1/attributes', { key: 'city', label: 'City' });
    const group = await ask(201, 'POST', '/v1/contact-groups', { name: 'Suppliers' });
    const template = await ask(201, 'POST', '/v1/templates', { name: 'Offer', message_type: 'text', body: 'Offer for {attr.city}' });
    await add(phoneNo(1), { name: 'Anna', group_id: group.id, attrs: { city: 'Bogor' } });
    const rules = { all: [{ field: 'attr.city', op: 'exists', value: true }] };
    const segment = await ask(201, 'POST', '/v1/segments', { name: 'With a city', rules });
    const draft = { session_id: device.id, name: 'Sale', message_type: 'text', template_id: template.id, group_id: group.id };
    const blast = await ask(201, 'POST', '/v1/blasts', draft);

    await ask(200, 'PATCH', `/v1/attributes/${town.id}`, { label: 'Town' });
    await ask(200, 'PATCH', `/v1/contact-groups/${group.id}`, { name: 'Partners' });
    await ask(200, 'PATCH', `/v1/templates/${template.id}`, { name: 'Former offer' });
    await ask(200, 'PATCH', device.path, { name: 'Former sales' });
    await ask(201, 'POST', '/v1/attributes', { key: 'town', label: 'City' });
    const other = await ask(201, 'POST', '/v1/contact-groups', { name: 'Suppliers' });
    await ask(201, 'POST', '/v1/templates', { name: 'Offer', message_type: 'text', body: 'Wrong' });
    await ask(201, 'POST', '/v1/sessions', { name: 'Sales' });
    await add(phoneNo(2), { name: 'Budi', group_id: other.id, attrs: { town: 'Medan' } });

    const named = async (path: string) => (await ask(200, 'GET', path)).contacts.map(({ name }: { name: string }) => name);
    assert.deepEqual(await named(`/v1/segments/${segment.id}/contacts`), ['Anna']);
    assert.deepEqual(await named(`/v1/contacts?group_id=${group.id}`), ['Anna']);
    const shown = await ask(200, 'GET', `/v1/blasts/${blast.id}`);
    assert.deepEqual([shown.session_id, shown.template_id, shown.group_id, shown.total_recipients], [device.id, template.id, group.id, 1]);
    const file = await ask(200, 'GET', '/v1/contacts/export');
    const { id } = await ask(202, 'POST', '/v1/contacts/import', file.replace('Medan', 'Padang'), { 'content-type': 'text/csv' });
    assert.deepEqual((await done(`/v1/contacts/imports/${id}`)).errors, []);
    const attrs = (await ask(200, 'GET', '/v1/contacts')).contacts.map((one: { attrs: object }) => one.attrs);
    assert.deepEqual(attrs, [{ town: 'Padang' }, { city: 'Bogor' }], 'the exported columns are those of their keys');
    await ask(200, 'POST', `/v1/blasts/${blast.id}/start`, { consent_attested: true });
    const [received] = await gateway.until('the campaign arrives', async () => {
      const messages = gateway.sandbox.phone(phoneNo(1)).messages(10);
      return messages.length > 0 && messages;
    });
    assert.deepEqual(received?.content, { type: 'text', body: 'Offer for Bogor' });
  });
});
