import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ConversationDeps, markRead } from '../../../../actors/services/conversations/conversation-service.ts';
import { type ChatDeps, updateChats } from '../../../../actors/services/conversations/outbox-handler.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import { startIdentities } from '../../../../scripts/wiring/identities.ts';
import { agentsIn } from '../../../../store/agents/agents.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { type MessageRow, messagesIn } from '../../../../store/messaging/messages.ts';
import { carryOut } from '../../../support/carry-out.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const device = newDevice('t1', null, null, 0);
const CHAT = '6281211110001@s.whatsapp.net';
const SEEDS = 10;
const MESSAGES = 60;

eachStore('unread counts', (kind) => {
  it('are correct even if messages and reads are repeated, delayed and reordered', async (t) => {
    const store = await kind.fresh(t);
    const shared = { chats: chatsIn(store), messages: messagesIn(store), devices: devicesIn(store) };
    const deps: ConversationDeps & ChatDeps = {
      ...shared,
      people: startIdentities(store, { ...shared, clock: systemClock }).people,
      agents: agentsIn(store),
      choose: async () => null,
      announce: async () => {},
      snoozeEnded: async () => {},
    };
    await store.prepare();
    for (let seed = 1; seed <= SEEDS; seed += 1) await oneLife(deps, seed);
  });
});

/** Messages are stored in order and followed up in random batches, repeated and shuffled, while somebody reads now and then. */
async function oneLife(deps: ConversationDeps & ChatDeps, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const chatId = `${seed}-${CHAT}`;
  const follow = updateChats(deps, () => 0);
  const stored: MessageRow[] = [];
  let readUpTo = '';
  for (let number = 0; number < MESSAGES; number += 1) {
    const row = messageRow(seed, number, random() < 0.6 ? 'inbound' : 'outbound', chatId);
    await deps.messages.receive(row);
    stored.push(row);
    if (random() < 0.5) await carryOut(follow, some(stored, random));
    if (random() < 0.1 && (await deps.chats.find('t1', device._id, chatId)))
      readUpTo = (await markRead(deps, { device, chatId, seenBy: null })).read_up_to;
  }
  await carryOut(follow, shuffled(stored, random));
  const chat = await deps.chats.find('t1', device._id, chatId);
  const unread = stored.filter(({ _id, direction }) => direction === 'inbound' && _id > readUpTo).length;
  assert.equal(chat?.unread_count, unread, `seed ${seed}`);
  assert.equal(chat?.last_message, stored.at(-1)?.body, `seed ${seed}`);
}

const some = (rows: readonly MessageRow[], random: () => number): MessageRow[] => {
  const few = shuffled(rows, random).slice(0, 1 + Math.floor(random() * 4));
  return [...few, ...few.slice(0, 1)];
};

const shuffled = <T>(items: readonly T[], random: () => number): T[] =>
  items
    .map((item) => ({ item, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);

function messageRow(seed: number, number: number, direction: MessageRow['direction'], chat_id: string): MessageRow {
  return aMessageRow({
    _id: `01JZX5ZB4T8QKX3N9V${String(seed).padStart(2, '0')}${String(number).padStart(6, '0')}`,
    tenant_id: 't1',
    session_id: device._id,
    direction,
    chat_id,
    sender: direction === 'inbound' ? CHAT : null,
    body: `no. ${number}`,
    status: 'delivered',
    outbox_pending: true,
    created_at: number,
    sent_at: number,
  });
}
