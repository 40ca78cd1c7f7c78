import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const annaJid = `${ANNA}@s.whatsapp.net`;

eachStore('a business over the WhatsApp protocol', (kind) => {
  it('can sign up, link a phone, send and receive, and keeps early receipts when its gateway crashes', async (t) => {
    const gateway = await aRealGateway(t, kind);
    const { peer, until } = gateway;
    const token = await gateway.signUp(OWNER);
    const api = gateway.as(token);
    peer.phone(SHOP).isCalled('The shop');
    const path = await gateway.linked(api, SHOP);
    await until('the name of the phone is known', async () => (await api('GET', path)).body.wa_name === 'The shop');

    const { id } = (await api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hello Anna' })).body;
    const status = async (message: string) => (await api('GET', `${path}/messages/${message}`)).body.status;
    await until('it was read', async () => (await status(id)) === 'read');
    assert.deepEqual(
      peer
        .contact(ANNA)
        .shows()
        .map(({ from, text }) => [from, text]),
      [[SHOP, 'Hello Anna']],
    );

    await peer.contact(ANNA).writes(SHOP, 'Are you open?');
    const inbox = async () => (await api('GET', `${path}/messages?direction=inbound`)).body.messages;
    const [heard] = await until('her answer is in the inbox', async () => {
      const found = await inbox();
      return found.length > 0 && found;
    });
    assert.deepEqual([heard.chat_id, heard.body], [annaJid, 'Are you open?']);

    const budi = peer.contact(BUDI);
    budi.account.hidesLid = true;
    await budi.is({ tellsNumber: false });
    await budi.writes(SHOP, 'Anybody there?');
    await until('he is heard', async () => (await inbox()).length === 2);
    const early = (await api('POST', `${path}/messages`, { chat_id: BUDI, type: 'text', body: 'Hello Budi' })).body.id;
    await until('it was shown', () => budi.shows().length === 1);
    await until('it was sent', async () => (await status(early)) === 'sent');
    const waiting = (await api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'From nine to five' })).body.id;
    const next = await gateway.crash();
    const restarted = next.as(token);
    await peer.contact(ANNA).writes(SHOP, 'Thanks');
    await next.until('it was read', async () => (await restarted('GET', `${path}/messages/${waiting}`)).body.status === 'read');
    assert.equal((await restarted('GET', `${path}/messages/${early}`)).body.status, 'sent');
    await budi.tellsNumber();
    await next.until('his receipts count', async () => (await restarted('GET', `${path}/messages/${early}`)).body.status === 'read');
    await next.until(
      'her thanks came',
      async () => (await restarted('GET', `${path}/messages?direction=inbound`)).body.messages.length === 3,
    );
    assert.deepEqual(
      peer
        .contact(ANNA)
        .shows()
        .map(({ text }) => text)
        .toSorted(),
      ['Are you open?', 'From nine to five', 'Hello Anna', 'Thanks'],
    );
    assert.deepEqual(peer.ledger.violations, []);
    assert.deepEqual(peer.journal.events('unreadable'), []);

    peer.phone(SHOP).unlinks();
    await next.until('it is over', async () => (await restarted('GET', path)).body.status === 'failed');
  });
});
