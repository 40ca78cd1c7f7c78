import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { type Random, seededRandom } from '../../../../runtime/random.ts';
import { type MessageRow, type Messages, messagesIn, type Owner } from '../../../../store/messaging/messages.ts';
import { rowOf } from '../../../support/rows.ts';
import { eachStore, type StoreKind } from '../../../support/stores.ts';

/** `STORM=receipts,seeds` for a longer run. */
const [asked, seeds] = (process.env['STORM'] ?? '').split(',').map(Number);
const device = newDevice('t', null, null, 0);
const owner: Owner = { tenantId: 't', sessionId: device._id, epoch: 1 };

type Word = { readonly status: 'sent' | 'delivered' | 'read'; readonly at: number; readonly netIds: readonly string[] };

eachStore('a storm of receipts', (kind) => {
  const { receipts, runs } = sizeOf(kind);
  for (let seed = 1; seed <= runs; seed += 1) {
    it(`leaves every status correct in any order and with duplicates (seed ${seed}, ${receipts} receipts)`, async (t) => {
      const store = await kind.fresh(t);
      const messages = messagesIn(store);
      await store.prepare();
      await storm(messages, receipts, seededRandom(seed));
    });
  }
});

/** 10,000 receipts over all seeds where the store is in this process; a network between takes its time. */
function sizeOf({ name }: StoreKind): { readonly receipts: number; readonly runs: number } {
  if (name === 'mongodb') return { receipts: 1_000, runs: 2 };
  return { receipts: asked || 10_000, runs: seeds || 4 };
}

/** Each message is sent, some delivered, some read; the network's words come shuffled, in batches, some twice. */
async function storm(messages: Messages, receipts: number, random: Random): Promise<void> {
  const count = Math.ceil(receipts / 2.2);
  const rows = Array.from({ length: count }, (_, nth) => messageRow(nth));
  for (const row of rows) await messages.accept(row);
  const best = rows.map(() => RANKS[Math.floor(random() * RANKS.length)]!);
  const words = shuffled(
    rows.flatMap(({ net_id }, nth) => wordsOf(net_id, best[nth]!)),
    random,
  );
  const batches = batched([...words, ...words.filter(() => random() < 0.2)], random);
  const said = await Promise.all(batches.map((word) => say(messages, word)));
  assert.ok(said.length > 0);
  for (const word of batched(shuffled(words, random).slice(0, 200), random)) await say(messages, word);
  const stored = await Promise.all(rows.map(({ _id }) => messages.find('t', device._id, _id)));
  const wrong = stored.filter((row, nth) => !isRight(row, best[nth]!));
  assert.deepEqual(wrong, []);
}

const RANKS = ['sent', 'delivered', 'read'] as const;
const AT = { sent: 1, delivered: 2, read: 3 } as const;

const wordsOf = (netId: string, best: (typeof RANKS)[number]): Word[] =>
  RANKS.slice(0, RANKS.indexOf(best) + 1).map((status) => ({ status, at: AT[status], netIds: [netId] }));

/** Combines most neighbouring receipts with the same status into one event. */
function batched(words: readonly Word[], random: Random): Word[] {
  const together: Word[] = [];
  for (const word of words) {
    const last = together.at(-1);
    if (last?.status === word.status && random() < 0.9)
      together[together.length - 1] = { ...last, netIds: [...last.netIds, ...word.netIds] };
    else together.push(word);
  }
  return together;
}

function say(messages: Messages, { status, at, netIds }: Word): Promise<void> {
  return messages.mark(owner, [status === 'sent' ? { status, ids: netIds, at } : { status, netIds, at }]);
}

/** The highest that was said holds; the times of what was passed on the way are known or not. */
function isRight(row: MessageRow | null, best: (typeof RANKS)[number]): boolean {
  return row?.status === best && row[`${best}_at`] === AT[best];
}

const messageRow = (nth: number): MessageRow => {
  const id = `01JZX5ZB4T8QKX3N9V${String(nth).padStart(8, '0')}`;
  return { ...rowOf(id, nth), session_id: device._id, status: 'sending', epoch: 1 };
};

const shuffled = <T>(items: readonly T[], random: Random): T[] =>
  items
    .map((item) => ({ item, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
