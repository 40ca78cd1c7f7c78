import assert from 'node:assert/strict';
import { it } from 'node:test';
import { factsOf } from '../../../../actors/network/whatsapp/inbound/history-batches.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { leastOfThree } from '../../../support/turns.ts';

const CHATS = 5_000;
const MESSAGES = 40;

it('what a history of 5,000 chats says of addresses is read in turns of a few milliseconds', async () => {
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
