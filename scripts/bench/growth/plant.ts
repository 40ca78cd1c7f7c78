import { blankContact } from '../../../actors/services/contacts/contacts.ts';
import { newChat } from '../../../actors/services/conversations/outbox-handler.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { idFloor } from '../../../runtime/derived-ids.ts';
import { contactsIn } from '../../../store/contacts/contacts.ts';
import { type ChatRow, chatsSpec } from '../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { type MessageRow, messagesSpec } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { aDevice, anApiKey, aTenant } from '../planted.ts';

/** What a planted store is asked for. */
export interface Planted {
  readonly tenantId: string;
  readonly device: DeviceRow;
  readonly key: string;
  /** A message in the middle of the log, and its chat. */
  readonly messageId: string;
  readonly chatId: string;
}

const EVERY_MS = 20;
const PER_CHAT = 50;
const PER_CONTACT = 5;
const UNREAD_EVERY = 100;
const TOGETHER = 5_000;

const chatOf = (nth: number, chats: number): string => `62812${String(nth % chats).padStart(8, '0')}@s.whatsapp.net`;

/** One device with a log of `count` messages, the newest of now and 20 ms apart, in a fiftieth as many chats, and a fifth as many contacts. */
export async function plantGrowth(store: Store, count: number): Promise<Planted> {
  const rows = store.collection<MessageRow>(messagesSpec);
  const chats = store.collection<ChatRow>(chatsSpec);
  const contacts = contactsIn(store);
  const { _id: tenantId } = await aTenant(store);
  const device = await aDevice(store, tenantId);
  const key = await anApiKey(store, tenantId);
  await store.prepare();
  const begun = systemClock.now() - count * EVERY_MS;
  const chatCount = Math.ceil(count / PER_CHAT);
  const at = (nth: number): MessageRow => messageRow(device, nth, begun + nth * EVERY_MS, chatOf(nth, chatCount));
  await inBatches(
    count,
    (nth) => at(nth),
    (some) => rows.insertMany(some),
  );
  await inBatches(
    chatCount,
    (nth) => chatRow(at(count - 1 - nth), nth),
    (some) => chats.insertMany(some),
  );
  await inBatches(
    Math.ceil(count / PER_CONTACT),
    (nth) => ({ ...blankContact(tenantId, String(6_281_200_000_000 + nth), begun + nth), name: `Person number ${nth}` }),
    (some) => contacts.addMany(some),
  );
  const middle = at(Math.trunc(count / 2));
  return { tenantId, device, key, messageId: middle._id, chatId: middle.chat_id };
}

async function inBatches<T>(count: number, make: (nth: number) => T, write: (some: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += TOGETHER)
    await write(Array.from({ length: Math.min(TOGETHER, count - from) }, (_, nth) => make(from + nth)));
}

function messageRow({ tenant_id, _id: session_id }: DeviceRow, nth: number, created_at: number, chat_id: string): MessageRow {
  const _id = `${idFloor(created_at).slice(0, 16)}${String(nth).padStart(10, '0')}`;
  const isIn = nth % 3 !== 2;
  return {
    _id,
    tenant_id,
    session_id,
    direction: isIn ? 'inbound' : 'outbound',
    chat_id,
    sender: isIn ? chat_id : null,
    sender_name: isIn ? 'Anna' : null,
    message_type: 'text',
    body: `Message no. ${nth}: is it still open, and until when? We would come with four.`,
    parts: {},
    media_r2_key: null,
    status: isIn ? 'delivered' : 'read',
    error: null,
    net_id: _id,
    quotes: null,
    lane: 0,
    priority: 0,
    epoch: 1,
    attempts: 1,
    quota_month: null,
    outbox_pending: false,
    rev: 1,
    created_at,
    claimed_at: created_at,
    sent_at: isIn ? null : created_at,
    delivered_at: created_at,
    read_at: null,
  };
}

function chatRow(row: MessageRow, nth: number): ChatRow {
  return {
    ...newChat(row, row.created_at),
    id: row._id,
    chat_name: `Person number ${nth}`,
    last_message: row.body,
    last_message_id: row._id,
    last_inbound_id: row._id,
    unread_count: nth % UNREAD_EVERY === 0 ? 2 : 0,
    status: 'pending',
  };
}
