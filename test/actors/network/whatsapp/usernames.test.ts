import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';

eachStore('usernames over the WhatsApp protocol', (kind) => {
  it('can be used as recipients, with a key if required, and are shown with incoming messages', async (t) => {
    const gateway = await aRealGateway(t, kind);
    const api = gateway.as(await gateway.signUp(OWNER));
    const path = await gateway.linked(api, SHOP);
    const anna = gateway.peer.phone(ANNA);
    anna.hasUsername('anna.w', '4071');
    anna.hidesNumber();
    const send = async (recipient: object) => {
      const answer = api('POST', `${path}/messages`, { recipient, type: 'text', body: 'Hi' });
      let isOver = false;
      void answer.finally(() => {
        isOver = true;
      });
      while (!isOver) await gateway.clock.advance(25);
      const { status, body } = await answer;
      return [status, body.code ?? body.status];
    };
    assert.deepEqual(await send({ username: 'nobody.here' }), [404, 'NOT_FOUND']);
    assert.deepEqual(await send({ username: 'anna.w' }), [409, 'USERNAME_KEY_REQUIRED']);
    assert.deepEqual(await send({ username: 'anna.w', key: '0000' }), [400, 'VALIDATION_FAILED']);
    assert.deepEqual(await send({ username: '@Anna.W', key: '4071' }), [202, 'queued']);
    await gateway.until('it arrives', () => anna.shows().length === 1);
    await anna.writes(SHOP, { conversation: 'Hello' });
    const contact = await gateway.until('she is a contact', async () => (await api('GET', '/v1/contacts')).body.contacts[0]);
    assert.deepEqual([contact.phone, contact.lid, contact.username], [null, anna.lid, 'anna.w']);
  });
});
