import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newDevice } from '../../actors/device/new-device.ts';
import { type DeskPorts, markRead } from '../../actors/inbox/desk.ts';
import { type ChatPorts, keepChats } from '../../actors/inbox/follow-chats.ts';
import { seededChance } from '../../runtime/chance.ts';
import { startPeople } from '../../scripts/start-people.ts';
import { agentsIn } from '../../store/agents.ts';
import { chatsIn } from '../../store/chats.ts';
import { devicesIn } from '../../store/devices.ts';
import { type MessageRow, messagesIn } from '../../store/messages.ts';
import { aMessageRow } from '../support/message-row.ts';
import { eachStore } from '../support/stores.ts';

const device = newDevice('t1', null, null, 0);
const CHAT = '6281211110001@s.whatsapp.net';
const SEEDS = 10;
const MESSAGES = 60;

eachStore('unread counts', (kind) => {
  it('are right whatever is repeated, delayed or comes in another order, and whenever somebody reads', async (t) => {
    const store = await kind.fresh(t);
    const shared = { chats: chatsIn(store), messages: messagesIn(store), devices: devicesIn(store) };
    const ports: DeskPorts & ChatPorts = {
      ...shared,
      people: startPeople(store, shared).people,
      agents: agentsIn(store),
      choose: async () => null,
      announce: async () => {},
    };
    await store.prepare();
    for (let seed = 1; seed <= SEEDS; seed += 1) await oneLife(ports, seed);
  });
});

/** Messages are stored in order and followed up in random batches, repeated and shuffled, while somebody reads now and then. */
async function oneLife(ports: DeskPorts & ChatPorts, seed: number): Promise<void> {
  const chance = seededChance(seed);
  const chatId = `${seed}-${CHAT}`;
  const follow = keepChats(ports, () => 0);
  const stored: MessageRow[] = [];
  let readUpTo = '';
  for (let number = 0; number < MESSAGES; number += 1) {
    const row = messageRow(seed, number, chance() < 0.6 ? 'inbound' : 'outbound', chatId);
    await ports.messages.receive(row);
    stored.push(row);
    if (chance() < 0.5) await follow.run(some(stored, chance));
    if (chance() < 0.1 && (await ports.chats.find('t1', device._id, chatId)))
      readUpTo = (await markRead(ports, { device, chatId, seenBy: null })).read_up_to;
  }
  await follow.run(shuffled(stored, chance));
  const chat = await ports.chats.find('t1', device._id, chatId);
  const unread = stored.filter(({ _id, direction }) => direction === 'inbound' && _id > readUpTo).length;
  assert.equal(chat?.unread_count, unread, `seed ${seed}`);
  assert.equal(chat?.last_message, stored.at(-1)?.body, `seed ${seed}`);
}

const some = (rows: readonly MessageRow[], chance: () => number): MessageRow[] => {
  const few = shuffled(rows, chance).slice(0, 1 + Math.floor(chance() * 4));
  return [...few, ...few.slice(0, 1)];
};

const shuffled = <T>(items: readonly T[], chance: () => number): T[] =>
  items
    .map((item) => ({ item, at: chance() }))
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
    owes: true,
    created_at: number,
    sent_at: number,
  });
}
