import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { MockAgent } from 'undici';
import { GraphClient } from '../../../../actors/network/official/graph-client.ts';
import type { OfficialLogin } from '../../../../actors/network/official/login.ts';
import { Sender } from '../../../../actors/network/official/sender.ts';
import { anOfficialLogin } from '../../../support/official-login.ts';

const ANNA = '6281211110001@s.whatsapp.net';
const ID = '01K0000000000000000000000A';
type Heard = ConstructorParameters<typeof Sender>[3];

const HELD = { messages: [{ id: 'wamid.1', message_status: 'held_for_quality_assessment' }] };

/** Returns a sender that reports its outcomes as text. `dispatcher` plays the platform. */
function aSender(dispatcher: MockAgent, own: Partial<OfficialLogin> = {}, heard: Partial<Heard> = {}) {
  const login = anOfficialLogin(dispatcher, own);
  const { promise: told, resolve } = Promise.withResolvers<readonly unknown[]>();
  const tell =
    (word: string) =>
    (_of: unknown, ...more: readonly unknown[]) =>
      resolve([word, ...more]);
  const graph = new GraphClient(login.address, login, dispatcher, login.clock);
  const sender = new Sender(
    login,
    graph,
    { meets: async () => null },
    {
      ...{ acked: tell('acked'), refused: tell('refused'), retryLater: tell('retryLater'), limited: tell('limited') },
      ...{ unwritten: tell('unwritten'), held: tell('held'), failed: tell('failed'), registered: tell('registered') },
      ...heard,
    },
  );
  const send = () => sender.send({ netId: '3EB0', to: ANNA, id: ID, content: { type: 'text', body: 'Hi' }, quotes: null }, undefined);
  return { sender, told, send };
}

function aPlatform() {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  return { dispatcher, graph: dispatcher.get('https://graph.example') };
}

it('the official sender does not resend a message that was accepted but could not be stored', async () => {
  const { dispatcher, graph } = aPlatform();
  graph.intercept({ path: '/1/messages', method: 'POST' }).reply(200, HELD);
  const { sender, told, send } = aSender(dispatcher, { held: () => Promise.reject(new Error('the store is away')) });
  send();
  assert.deepEqual(await told, ['held']);
  sender.close();
});

it('the official sender waits as long as the platform asks after a rate limit', async () => {
  const { dispatcher, graph } = aPlatform();
  const busy = { error: { code: 130_429, message: 'Rate limit hit' } };
  graph.intercept({ path: '/1/messages', method: 'POST' }).reply(400, busy, { headers: { 'retry-after': '7' } });
  const { sender, told, send } = aSender(dispatcher);
  send();
  assert.deepEqual(await told, ['refused', 130_429, 7_000]);
  sender.close();
});

it('the official sender reports once that the platform knows a person by another form of the number', async () => {
  const { dispatcher, graph } = aPlatform();
  const MARIA = '5215512345678@s.whatsapp.net';
  const reply = { contacts: [{ input: '+5215512345678', wa_id: '525512345678' }], messages: [{ id: 'wamid.1' }] };
  graph.intercept({ path: '/1/messages', method: 'POST' }).reply(200, reply).times(2);
  const registered: string[] = [];
  const { promise: allAcked, resolve } = Promise.withResolvers<void>();
  const acked: string[] = [];
  const { sender } = aSender(
    dispatcher,
    {},
    {
      registered: (_chat, phone) => void registered.push(phone),
      acked: (netId) => {
        acked.push(netId);
        if (acked.length === 2) resolve();
      },
    },
  );
  for (const [nth, id] of [ID, ID.replace(/A$/, 'B')].entries())
    sender.send({ netId: `3EB${nth}`, to: MARIA, id, content: { type: 'text', body: 'Hi' }, quotes: null }, undefined);
  await allAcked;
  assert.deepEqual([acked, registered], [['3EB0', '3EB1'], ['525512345678']]);
  sender.close();
});

it('the official sender requests a new address for a file when the first address has expired', async () => {
  const { dispatcher, graph } = aPlatform();
  for (const nth of [1, 2])
    graph.intercept({ path: '/9?phone_number_id=1' }).reply(200, { url: `https://graph.example/files/9?address=${nth}` });
  graph.intercept({ path: '/files/9?address=1' }).reply(404, '');
  graph.intercept({ path: '/files/9?address=2' }).reply(200, 'the bytes');
  const { sender } = aSender(dispatcher);
  assert.equal(await text(await sender.download('9')), 'the bytes');

  // A file that is gone is asked for twice, and then reported missing.
  graph.intercept({ path: '/9?phone_number_id=1' }).reply(200, { url: 'https://graph.example/files/gone' }).times(2);
  graph.intercept({ path: '/files/gone' }).reply(404, '').times(2);
  await assert.rejects(sender.download('9'), { code: 'NOT_FOUND' });
  dispatcher.assertNoPendingInterceptors();
});
