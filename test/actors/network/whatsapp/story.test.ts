import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;

eachStore('a business on the real network’s protocol', (kind) => {
  it('signs up, links a phone, sends, receives a reply, and survives a crash of its gateway', async (t) => {
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

    const waiting = (await api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'From nine to five' })).body.id;
    const next = await gateway.crash();
    const restarted = next.as(token);
    await peer.contact(ANNA).writes(SHOP, 'Thanks');
    await next.until('it was read', async () => (await restarted('GET', `${path}/messages/${waiting}`)).body.status === 'read');
    await next.until(
      'her thanks came',
      async () => (await restarted('GET', `${path}/messages?direction=inbound`)).body.messages.length === 2,
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
