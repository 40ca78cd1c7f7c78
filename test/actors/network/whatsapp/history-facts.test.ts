import assert from 'node:assert/strict';
import { it } from 'node:test';
import { factsOf } from '../../../../actors/network/whatsapp/inbound/history-batches.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { leastOfThree } from '../../../support/turns.ts';

const CHATS = 1_000;
const MESSAGES = 40;

it('what a history of 1,000 chats says of addresses is read in turns of a few milliseconds', async () => {
  const library = await loadLibrary();
  const { HistorySync } = library.proto;
  const messages = Array.from({ length: MESSAGES }, (_, nth) => ({
    message: { key: { id: `m${nth}`, fromMe: false }, message: { conversation: 'x'.repeat(100) } },
  }));
  const conversations = Array.from({ length: CHATS }, (_, nth) => ({
    id: `${10_000_000 + nth}@lid`,
    pnJid: `62811${10_000_000 + nth}@s.whatsapp.net`,
    messages,
  }));
  const bytes = HistorySync.encode({ syncType: HistorySync.HistorySyncType.FULL, conversations }).finish();
  const history = Buffer.from(bytes);
  const ms = await leastOfThree(async () => assert.equal((await factsOf(library, history)).pairs.length, CHATS));
  assert.ok(ms < 25, `${ms} ms`);
});
