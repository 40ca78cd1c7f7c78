import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type MessageRow, messagesSpec } from '../../../../store/messaging/messages.ts';
import { el } from '../../../network-peer/stanza.ts';
import { embedded } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const EVE = '6281100000003';

it('messages with the same id are all stored, including broadcasts, even after a crash (embedded)', async (t) => {
  const gateway = await aRealGateway(t, embedded);
  const { peer } = gateway;
  const token = await gateway.signUp(OWNER);
  const path = await gateway.linked(gateway.as(token), SHOP);
  const [anna, eve] = [peer.contact(ANNA), peer.contact(EVE)];
  const { jid: group } = peer.group([SHOP, ANNA, EVE]);
  const bodies = async (of = gateway) => {
    const { messages } = (await of.as(token)('GET', `${path}/messages?direction=inbound`)).body;
    return messages.map(({ body }: { body: string }) => body).toSorted();
  };
  await Promise.all([
    eve.writes(SHOP, 'Eve', { id: 'SAME' }),
    anna.writes(SHOP, 'Anna', { id: 'SAME' }),
    eve.writes(group, 'Eve in the group', { id: 'SAME' }),
    anna.writes(group, 'Anna in the group', { id: 'SAME' }),
  ]);
  const all = ['Anna', 'Anna in the group', 'Eve', 'Eve in the group'];
  await gateway.until('all are there', async () => (await bodies()).length === 4);
  assert.deepEqual(await bodies(), all);
  await gateway.until('all are acknowledged', () => [anna, eve].every((one) => one.told('SAME').length === 2));
  const api = gateway.as(token);
  await peer.phone(SHOP).writesToList('1700@broadcast', [ANNA, EVE], 'To both');
  await peer.phone(SHOP).writesToList('1701@broadcast', [], 'To a list');
  const ours = async (of = gateway) => {
    const { messages } = (await of.as(token)('GET', `${path}/messages?direction=outbound`)).body;
    return messages.map(({ chat_id, body }: { chat_id: string; body: string }) => `${body}: ${chat_id}`).toSorted();
  };
  const written = ['To a list: 1701@broadcast', `To both: ${anna.jid}`, `To both: ${eve.jid}`];
  await gateway.until('what the owner wrote to lists is there', async () => (await ours()).length === 3);
  assert.deepEqual(await ours(), written);
  const { chats } = (await api('GET', `${path}/chats`)).body;
  assert.deepEqual(chats.map(({ chat_id }: { chat_id: string }) => chat_id).toSorted(), [anna.jid, eve.jid, group].toSorted());
  const next = await gateway.crash();
  await next.clock.advance(5_000);
  assert.deepEqual(await bodies(next), all);
  assert.deepEqual(await ours(next), written);
});

it('a receipt from another chat is ignored (embedded)', async (t) => {
  const gateway = await aRealGateway(t, embedded);
  const { peer, until } = gateway;
  const api = gateway.as(await gateway.signUp(OWNER));
  const path = await gateway.linked(api, SHOP);
  const [anna, eve] = [peer.contact(ANNA), peer.contact(EVE)];
  const rows = gateway.store.collection<MessageRow>(messagesSpec);
  const { jid: group } = peer.group([SHOP, ANNA, EVE]);
  await anna.is({ isOnline: false });
  const { id } = (await api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi' })).body;
  const row = await until('it has left', async () => {
    const found = await rows.findOne({ _id: id });
    return found?.status === 'sent' && found;
  });
  const [computer] = peer.phone(SHOP).linked;
  const receipt = (attrs: Record<string, string>) =>
    computer?.deliver(el('receipt', { type: 'read', ...attrs, id: row.net_id, t: 1_800_000_000 }));
  receipt({ from: eve.jid });
  receipt({ from: eve.lid });
  receipt({ from: eve.lid, type: 'played' });
  receipt({ from: group, participant: eve.jid });
  await gateway.clock.advance(5_000);
  assert.equal((await rows.findOne({ _id: id }))?.status, 'sent');
  assert.deepEqual((await api('GET', `${path}/messages/${id}/receipts`)).body, { receipts: [] });
  receipt({ from: anna.jid });
  await until('it is read', async () => (await rows.findOne({ _id: id }))?.status === 'read');
});
