import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, bookOf, phoneNo } from './contacts-fixture.ts';

const EVERYBODY = { all: [{ field: 'name', op: 'starts_with', value: 'person' }] };
const BULK = '/v1/contacts/bulk';

eachStore('bulk changes to contacts', (kind) => {
  it('can tag, untag, group and delete contacts by id', async (t) => {
    const { add, ask, names } = await anAddressBook(t, kind);
    const group = await ask(201, 'POST', '/v1/contact-groups', { name: 'Bali' });
    const people = [];
    for (let nth = 0; nth < 3; nth += 1) people.push((await add(phoneNo(nth), { name: `Person ${nth}` })).id);
    const two = people.slice(0, 2);
    const act = async (action: string, ids: readonly string[], value?: string | null) =>
      (await ask(200, 'POST', BULK, { action, ids, ...(value !== undefined && { value }) })).changed;
    assert.deepEqual([await act('tag', two, 'VIP'), await act('tag', people, 'vip')], [2, 1]);
    assert.deepEqual([await act('untag', two, 'Vip'), await act('untag', two, 'no such tag')], [2, 0]);
    assert.deepEqual(await names('tag=VIP'), ['Person 2']);
    assert.equal(await act('set_group', two, group.id), 2);
    assert.deepEqual(await names(`group_id=${group.id}`), ['Person 1', 'Person 0']);
    assert.deepEqual([await act('set_group', people, null), await act('delete', two)], [2, 2]);
    assert.deepEqual(await names(''), ['Person 2']);
    assert.equal((await ask(404, 'POST', BULK, { action: 'set_group', ids: people, value: people[0] })).code, 'NOT_FOUND');
    assert.equal((await ask(400, 'POST', BULK, { action: 'tag', ids: people })).code, 'VALIDATION_FAILED');
    const refused = await ask(400, 'POST', BULK, { action: 'untag', ids: people, value: null, colour: 'red' });
    const paths = refused.details.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, ['colour', 'value'], 'every fault at once');
  });

  it('respect the maximum number of tags per contact', async (t) => {
    const { add, ask, names } = await anAddressBook(t, kind);
    const tags = Array.from({ length: 50 }, (_, nth) => `Tag ${nth}`);
    const ids = [(await add(phoneNo(0), { name: 'Full', tags })).id, (await add(phoneNo(1), { name: 'Other', tags: tags.slice(1) })).id];
    assert.equal((await ask(200, 'POST', BULK, { action: 'tag', ids, value: 'VIP' })).changed, 1);
    assert.deepEqual(await names('tag=VIP'), ['Other']);
  });

  it('can run in the background for a segment, and continue after a crash', async (t) => {
    const { gateway, acme, add, ask } = await anAddressBook(t, kind);
    for (let nth = 0; nth < 5; nth += 1) await add(phoneNo(nth), { name: `Person ${nth}` });
    await add(phoneNo(9), { name: 'Somebody else' });
    const { id } = await ask(201, 'POST', '/v1/segments', { name: 'Persons', rules: EVERYBODY });
    await gateway.node.actors.shutdown();
    const work = await ask(202, 'POST', BULK, { action: 'tag', segment_id: id, value: 'VIP' });
    assert.equal(work.status, 'queued');
    const restarted = await gateway.crash();
    const { done, names } = bookOf(restarted, restarted.as(acme.tokens.token));
    assert.deepEqual(await done(`${BULK}/${work.id}`), { id: work.id, status: 'done', changed: 5 });
    assert.equal((await names('tag=VIP')).length, 5);
  });

  it('apply to the segment as it was at the time of the request, even if its labels are deleted meanwhile', async (t) => {
    const { gateway, acme, add, ask } = await anAddressBook(t, kind);
    const group = await ask(201, 'POST', '/v1/contact-groups', { name: 'Staff' });
    const others = [{}, { tags: ['VIP'] }, { group_id: group.id }, { attrs: { City: 'Bali' } }];
    const people = ['Person', 'Person, VIP', 'Person, staff', 'Person of Bali'];
    for (const [nth, name] of people.entries()) await add(phoneNo(nth), { name, ...others[nth] });
    for (const [nth, tags] of [[], ['Old'], ['VIP']].entries()) await add(phoneNo(10 + nth), { name: `Guest ${nth}`, tags });
    const rules = [
      [
        { field: 'name', op: 'starts_with', value: 'Person' },
        { field: 'tag', op: 'is_not', value: 'vip' },
        { field: 'group_id', op: 'is_not', value: group.id },
        { field: 'attr.city', op: 'is_not', value: 'Bali' },
      ],
      [
        { field: 'name', op: 'starts_with', value: 'Guest' },
        { field: 'tag', op: 'exists', value: false },
      ],
    ];
    await gateway.node.actors.shutdown();
    const jobs: string[] = [];
    for (const [nth, all] of rules.entries()) {
      const { id } = await ask(201, 'POST', '/v1/segments', { name: `Segment ${nth}`, rules: { all } });
      jobs.push((await ask(202, 'POST', BULK, { action: 'delete', segment_id: id })).id);
    }
    for (const tag of (await ask(200, 'GET', '/v1/tags')).tags) await ask(200, 'DELETE', `/v1/tags/${tag.id}`);
    for (const attribute of (await ask(200, 'GET', '/v1/attributes')).attributes)
      await ask(200, 'DELETE', `/v1/attributes/${attribute.id}`);
    await ask(200, 'DELETE', `/v1/contact-groups/${group.id}`);
    await add(phoneNo(20), { name: 'Guest, who came later', tags: ['New'] });

    const restarted = await gateway.crash();
    const { done, names } = bookOf(restarted, restarted.as(acme.tokens.token));
    for (const id of jobs) assert.deepEqual(await done(`${BULK}/${id}`), { id, status: 'done', changed: 1 });
    const left = ['Guest, who came later', 'Guest 2', 'Guest 1', ...people.slice(1).toReversed()];
    assert.deepEqual(await names(''), left);
  });
});
