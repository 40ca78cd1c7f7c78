import type { GroupRecord } from '../../../actors/network/groups.ts';
import { blankContact } from '../../../actors/services/contacts/contacts.ts';
import { newChat } from '../../../actors/services/conversations/outbox-handler.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { idFloor } from '../../../runtime/derived-ids.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import { contactsIn } from '../../../store/contacts/contacts.ts';
import { type ChatRow, chatsSpec } from '../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { groupsIn, type ToldGroup } from '../../../store/groups/groups.ts';
import { type MessageRow, messagesSpec } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { aDevice, anApiKey, aTenant } from '../planted.ts';
import { inBatches } from './in-batches.ts';
import { plantLists } from './plant-lists.ts';

export interface Planted {
  readonly tenantId: string;
  readonly device: DeviceRow;
  readonly key: string;
  readonly messageId: string;
  readonly chatId: string;
  readonly groupChatId: string;
  readonly middleAt: number;
  /** Known ids by the part of the path before the parameter, such as `/v1/blasts` for `/v1/blasts/{id}`. */
  readonly ids: Readonly<Record<string, string>>;
}

const EVERY_MS = 20;
const PER_CHAT = 10;
const PER_CONTACT = 5;
const UNREAD_EVERY = 100;

const isGroup = (chat: number): boolean => chat % 10 === 9;
const MEMBERS = 50;
const person = (nth: number): string => `62812${String(nth).padStart(8, '0')}@s.whatsapp.net`;
const chatOf = (nth: number, chats: number): string =>
  isGroup(nth % chats) ? `1203630${String(nth % chats).padStart(11, '0')}@g.us` : person(nth % chats);

/** Plants a tenth as many chats as messages. A tenth of the chats are groups of 50 people. */
export async function plantGrowth(store: Store, count: number): Promise<Planted> {
  const rows = store.collection<MessageRow>(messagesSpec);
  const chats = store.collection<ChatRow>(chatsSpec);
  const groups = groupsIn<GroupRecord>(store);
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
  const by = { owner: { tenantId, sessionId: device._id, epoch: 1 }, phone: device.phone_number };
  await inBatches(
    Math.floor(chatCount / 10),
    (nth) => groupAt(chatOf(nth * 10 + 9, chatCount), nth),
    (some) => groups.putNew(by, some, begun),
  );
  await inBatches(
    Math.ceil(count / PER_CONTACT),
    (nth) => ({ ...blankContact(tenantId, String(6_281_200_000_000 + nth), begun + nth), name: `Person number ${nth}` }),
    (some) => contacts.addMany(some),
  );
  const middle = at(Math.trunc(count / 2));
  return {
    ...{ tenantId, device, key, messageId: middle._id, chatId: chatOf(0, chatCount), groupChatId: chatOf(9, chatCount) },
    ...{ middleAt: middle.created_at, ids: await plantLists(store, device, count, begun) },
  };
}

function messageRow({ tenant_id, _id: session_id }: DeviceRow, nth: number, created_at: number, chat_id: string): MessageRow {
  const _id = `${idFloor(created_at).slice(0, 16)}${String(nth).padStart(10, '0')}`;
  const isIn = nth % 3 !== 2;
  const sender = chat_id.endsWith('@g.us') ? person(nth % MEMBERS) : chat_id;
  return {
    _id,
    tenant_id,
    session_id,
    direction: isIn ? 'inbound' : 'outbound',
    chat_id,
    sender: isIn ? sender : null,
    sender_name: isIn ? 'Anna' : null,
    message_type: 'text',
    body: safeText(`Message no. ${nth}: is it still open, and until when? We would come with four.`),
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

function groupAt(group_id: string, nth: number): ToldGroup<GroupRecord> {
  const subject = `Customers of branch ${nth}`;
  const members = Array.from({ length: MEMBERS }, (_, at) => {
    const id = person(at);
    return { id, phone: id.slice(0, id.indexOf('@')), lid: null, username: null, name: `member ${at}`, admin: null };
  });
  const rules = { announce: false, restrict: false, ephemeral: 0, joinApproval: false, memberAddMode: 'all' } as const;
  const none = { owner: null, creation: null, description: null, community: null, isCommunity: false };
  return { group_id, subject, record: { id: group_id, subject, ...none, ...rules, size: MEMBERS, members } };
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
    is_group: row.chat_id.endsWith('@g.us') ? 1 : 0,
  };
}
