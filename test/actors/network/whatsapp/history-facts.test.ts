import assert from 'node:assert/strict';
import { it } from 'node:test';
import { factsOf, messagesOf } from '../../../../actors/network/whatsapp/inbound/history-batches.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { leastOfThree } from '../../../support/turns.ts';

const CHATS = 5_000;
const MESSAGES = 40;

it('a history of 5,000 chats is searched for addresses within 25 ms', async () => {
  const library = await loadLibrary();
  const { HistorySync } = library.proto;
  const messages = Array.from({ length: MESSAGES }, (_, nth) => ({
    message: { key: { id: `m${nth}`, fromMe: false }, message: { conversation: 'x'.repeat(100) } },
  }));
  const conversations = [{ id: '10000001@lid', pnJid: '6281110000001@s.whatsapp.net', messages }];
  const chat = HistorySync.encode({ syncType: HistorySync.HistorySyncType.FULL, conversations }).finish();
  // Fields of one message that stand behind each other are one message.
  const history = Buffer.concat(Array.from({ length: CHATS }, () => chat));
  const ms = await leastOfThree(async () => assert.equal((await factsOf(library, history)).pairs.length, CHATS));
  assert.ok(ms < 25, `${ms} ms`);
});

/** A field of less than 128 bytes, with a number above 15 or below. */
function field(number: number, ...inside: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(inside);
  assert.ok(bytes.length < 128);
  const tag = number * 8 + 2;
  return Buffer.from([...(tag < 128 ? [tag] : [(tag % 128) + 128, Math.floor(tag / 128)]), bytes.length, ...bytes]);
}

it('a history message is decoded from its bytes if the library does not know its type', async () => {
  const library = await loadLibrary();
  const { Message, MessageKey } = library.proto;
  const poll = Message.PollCreationMessage.encode({ name: 'Lunch?', options: [{ optionName: 'Yes' }] }).finish();
  const said = (id: string, content: Buffer): Buffer =>
    field(2, field(1, field(1, MessageKey.encode({ id, fromMe: false }).finish()), field(2, content)));
  const both = [said('m1', field(1, Buffer.from('Hi'))), said('m2', field(119, poll))];
  const history = field(2, field(1, Buffer.from('6281110000001@s.whatsapp.net')), ...both);
  const creds = { ...library.initAuthCreds(), me: { id: '6281100000001:7@s.whatsapp.net' }, account: {} };
  const reader = { library, creds, findSent: async () => null, secretsOf: async () => [] };
  const read = (await Array.fromAsync(messagesOf(reader, history, { most: 10, months: null }, 0))).flat();
  assert.deepEqual(
    read.map(({ content }) => content).toSorted((one, other) => one.type.localeCompare(other.type)),
    [
      { type: 'poll', name: 'Lunch?', choices: ['Yes'] },
      { type: 'text', body: 'Hi' },
    ],
  );
});
