import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

eachStore('a tag that is renamed', (kind) => {
  it('stays in the segments and campaigns that name it, and another one may have its old name', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    await api('POST', '/v1/contacts', { phone: '+6281211110001', name: 'Anna', tags: ['VIP'] });
    const rules = { all: [{ field: 'tag', op: 'is', value: 'VIP' }] };
    const segment = (await api('POST', '/v1/segments', { name: 'Best', rules })).body;
    const size = async () => (await api('GET', `/v1/segments/${segment.id}/contacts`)).body.contacts.length;
    const preview = async (op: string) =>
      (await api('POST', '/v1/segments/preview', { rules: { all: [{ field: 'tag', op, value: op === 'in' ? ['vip'] : 'vip' }] } })).body
        .count;
    const { id } = (await api('GET', '/v1/tags')).body.tags[0];
    for (const name of ['Gold', 'Platinum']) {
      assert.equal((await api('PATCH', `/v1/tags/${id}`, { name })).body.name, name);
      assert.deepEqual([await size(), await preview('in'), await preview('is_not')], [1, 1, 0], name);
      assert.equal((await api('GET', '/v1/contacts?tag=VIP')).body.contacts.length, 1);
    }
    const session = (await api('POST', '/v1/sessions', {})).body;
    const draft = { session_id: session.id, name: 'Sale', message_type: 'text', body: 'Sale', tag: 'VIP' };
    assert.equal((await api('POST', '/v1/blasts', draft)).body.total_recipients, 1);
    assert.equal((await api('POST', '/v1/tags', { name: 'VIP' })).status, 201);
    assert.equal(await size(), 0, 'the name is the new one’s');
  });
});
