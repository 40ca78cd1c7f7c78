/** Converts messages and addresses to WAHA's format: `@c.us` for numbers, ids as `<fromMe>_<chat>_<id>`. */

import { isRecord, memberOf } from '../../../runtime/shapes.ts';
import type { Named } from '../addresses.ts';
import { numberAt, textAt } from '../fields.ts';

const jidOf = (address: string): string => address.replace(/@s\.whatsapp\.net$/, '@c.us');

export function messageIn(text: string | undefined): Named {
  const [, chat, id = text] = (text ?? '').split('_');
  return { id, ...(chat?.includes('@') && { chat }) };
}

const ACKS: Readonly<Record<string, readonly [ack: number, ackName: string]>> = {
  queued: [0, 'PENDING'],
  sent: [1, 'SERVER'],
  delivered: [2, 'DEVICE'],
  read: [3, 'READ'],
  failed: [-1, 'ERROR'],
};

export function wahaMessage(entry: unknown) {
  const chat = jidOf(textAt(entry, 'chat_id') ?? '');
  const fromMe = memberOf(entry, 'direction') === 'outbound';
  const name = textAt(entry, 'wa_message_id') ?? textAt(entry, 'id') ?? '';
  const sender = textAt(entry, 'sender');
  const media = memberOf(entry, 'media');
  const [ack, ackName] = ACKS[textAt(entry, 'status') ?? ''] ?? [2, 'DEVICE'];
  const key = textAt(entry, 'media_r2_key');
  return {
    id: `${fromMe}_${chat}_${name}`,
    timestamp: Math.floor((numberAt(entry, 'created_at') ?? 0) / 1_000),
    from: chat,
    fromMe,
    to: fromMe ? chat : null,
    participant: chat.endsWith('@g.us') && sender !== undefined ? jidOf(sender) : null,
    body: textAt(entry, 'body') ?? '',
    hasMedia: isRecord(media),
    media: isRecord(media)
      ? { url: key === undefined ? null : `/v1/media/${key}`, mimetype: media['content_type'], filename: media['filename'] }
      : null,
    ack,
    ackName,
  };
}

const STATUSES: Readonly<Record<string, string>> = {
  pending: 'STARTING',
  qr_ready: 'SCAN_QR_CODE',
  connected: 'WORKING',
  disconnected: 'STOPPED',
  failed: 'FAILED',
};

export function wahaSession(session: unknown) {
  const number = textAt(session, 'phone_number');
  return {
    name: textAt(session, 'name') ?? textAt(session, 'id'),
    status: STATUSES[textAt(session, 'status') ?? ''] ?? 'STOPPED',
    config: {},
    me: number === undefined ? null : { id: `${number}@c.us`, pushName: textAt(session, 'wa_name') ?? null },
  };
}
