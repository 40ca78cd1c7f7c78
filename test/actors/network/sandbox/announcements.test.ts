import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { embedded } from '../../../support/stores.ts';

const BUDI = '6281211110002';

it("an announcement group accepts messages only from admins, even if a tenant's device sends them", async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const acme = await gateway.signUp();
  const shop = await acme.linked(PHONE);
  const other = await gateway.signUp('Other', '+62 811-0000-8888');
  const member = await other.linked(BUDI);
  const ask = (method: string, path: string, body: object) => gateway.during(acme.api(method, `${shop.path}/${path}`, body));
  const { id } = (await ask('POST', 'groups', { subject: 'News', participants: [`+${ANNA}`, `+${BUDI}`] })).body;
  const writes = () => gateway.sandbox.phone(ANNA).write({ to: id, content: { type: 'text', body: 'May I?' } });
  const post = async (own: typeof shop) => {
    const sent = await own.text(id, 'Hello all');
    return gateway.until('it is settled', async () => {
      const { status, error } = await own.message(sent);
      return status === 'queued' ? null : [status === 'failed', error];
    });
  };
  writes();
  assert.deepEqual(await post(member), [false, null]);
  assert.equal((await ask('PATCH', `groups/${id}`, { announce: true })).status, 200);
  assert.throws(writes, { code: 'CONFLICT' });
  assert.deepEqual(await post(member), [true, 'not_group_admin']);
  assert.deepEqual(await post(shop), [false, null]);
  await ask('POST', `groups/${id}/participants`, { action: 'promote', participants: [`+${ANNA}`] });
  writes();
});
