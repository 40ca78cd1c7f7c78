import { systemClock } from '../../../runtime/clock.ts';
import { idFloor } from '../../../runtime/derived-ids.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import type { MessageRow } from '../../../store/messaging/message-row.ts';
import { type Messages, messagesIn, messagesSpec } from '../../../store/messaging/messages.ts';
import { newMessage } from '../../../store/messaging/new-message.ts';
import type { Store } from '../../../store/port.ts';

export const TENANT = idFloor(1);
export const DEVICE = idFloor(2);
export const BEGUN_AT = 1_700_000_000_000;
export const EVERY_MS = 1_000;
const CHATS = 200;
export const THE_CHAT = '6281299999999@s.whatsapp.net';
const IN_THE_CHAT = 120;
const NEEDLES = 60;
const TOGETHER = 5_000;

const chatOf = (nth: number): string => `62812${String(nth % CHATS).padStart(8, '0')}@s.whatsapp.net`;

/** The number of matching messages does not depend on `count`. They are spread evenly. */
export async function plant(store: Store, count: number): Promise<Messages> {
  const rows = store.collection<MessageRow>(messagesSpec);
  const messages = messagesIn(store);
  await store.prepare();
  for (let from = 0; from < count; from += TOGETHER) {
    const size = Math.min(TOGETHER, count - from);
    await rows.insertMany(Array.from({ length: size }, (_, nth) => messageRow(from + nth, count)));
  }
  return messages;
}

function messageRow(nth: number, count: number): MessageRow {
  const created_at = BEGUN_AT + nth * EVERY_MS;
  const _id = `${idFloor(created_at).slice(0, 16)}${String(nth).padStart(10, '0')}`;
  const isIn = nth % 3 !== 2;
  const isInTheChat = nth % Math.trunc(count / IN_THE_CHAT) === 0;
  const chat_id = isInTheChat ? THE_CHAT : chatOf(nth);
  const needle = nth % Math.trunc(count / NEEDLES);
  return newMessage({
    _id,
    tenant_id: TENANT,
    session_id: DEVICE,
    direction: isIn ? 'inbound' : 'outbound',
    chat_id,
    sender: isIn ? chat_id : null,
    sender_name: isIn ? 'Anna' : null,
    message_type: needle === 5 ? 'poll' : needle === 7 ? 'image' : 'text',
    body: safeText(`Message no. ${nth}: is it still open, and until when? We would come with four.`),
    status: needle === 3 ? 'failed' : isIn ? 'delivered' : 'read',
    error: needle === 3 ? 'timed_out' : null,
    net_id: _id,
    epoch: 1,
    attempts: 1,
    rev: 1,
    created_at,
    claimed_at: created_at,
    sent_at: created_at,
    delivered_at: created_at,
  });
}

export const clockMs = (): number => systemClock.monotonic();
