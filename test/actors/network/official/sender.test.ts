import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MockAgent } from 'undici';
import { GraphClient } from '../../../../actors/network/official/graph-client.ts';
import { Sender } from '../../../../actors/network/official/sender.ts';
import { anOfficialLogin } from '../../../support/official-login.ts';

const ANNA = '6281211110001@s.whatsapp.net';
const HELD = { messages: [{ id: 'wamid.1', message_status: 'held_for_quality_assessment' }] };

it('the official sender does not resend a message that was accepted but could not be stored', async () => {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher.get('https://graph.example').intercept({ path: '/1/messages', method: 'POST' }).reply(200, HELD);
  const login = anOfficialLogin(dispatcher, { held: () => Promise.reject(new Error('the store is away')) });
  const { promise: told, resolve } = Promise.withResolvers<string>();
  const tell = (word: string) => () => resolve(word);
  const sender = new Sender(
    login,
    new GraphClient(login.address, login, dispatcher, login.clock),
    { meets: async () => null },
    {
      ...{ acked: tell('acked'), refused: tell('refused'), retryLater: tell('retryLater'), limited: tell('limited') },
      ...{ unwritten: tell('unwritten'), held: tell('held'), failed: tell('failed') },
    },
  );
  const id = '01K0000000000000000000000A';
  sender.send({ netId: '3EB0', to: ANNA, id, content: { type: 'text', body: 'Hi' }, quotes: null }, undefined);
  assert.equal(await told, 'held');
  sender.close();
});
