import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

const STRANGER = '6281211110009';

eachStore('groups', (kind) => {
  it('are shown with their members, under the names that they have here', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const { path } = await linked(PHONE);
    await api('POST', '/v1/contacts', { phone: ANNA, name: 'Anna of accounting' });
    const id = gateway.sandbox.createGroup([ANNA, PHONE]);
    const ask = (method: string, rest: string, body?: unknown) => gateway.during(api(method, `${path}/${rest}`, body));

    const group = await ask('GET', `groups/${id}`);
    assert.equal(group.status, 200, JSON.stringify(group.body));
    assert.deepEqual(
      group.body.participants.map(({ phone, name, admin }: Record<string, unknown>) => [phone, name, admin]),
      [
        [ANNA, 'Anna of accounting', 'superadmin'],
        [PHONE, null, null],
      ],
    );

    const foreign = gateway.sandbox.createGroup([ANNA, STRANGER]);
    assert.equal((await ask('GET', `groups/${foreign}`)).status, 403);
    assert.equal((await ask('GET', 'groups/120363999999999999@g.us')).status, 404);
    assert.equal((await ask('GET', 'groups/no-group')).status, 404);

    const can = await ask('GET', 'capabilities');
    assert.equal(can.body.groups, true);
    assert.deepEqual(Object.keys(can.body.catalog), ['available', 'reason']);

    await api('POST', `${path}/disconnect`);
    const offline = await ask('GET', `groups/${id}`);
    assert.deepEqual([offline.status, offline.body.code], [409, 'NOT_CONNECTED']);
  });
});
