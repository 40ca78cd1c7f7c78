/** Builds events in WAHA's format: `@c.us` numbers, and message ids `<fromMe>_<chat>_<id>`. */

import { memberOf } from '../../../../runtime/shapes.ts';
import type { EventBody } from '../../events/types.ts';
import type { Around, Form } from './form.ts';

type Data = EventBody['data'];

export const wahaForm: Form = ({ id, type, data, occurred_at: at }, { device }) => {
  const told = toldOf(type, data, { device, at });
  return (
    told && {
      id,
      timestamp: at,
      event: told.event,
      session: device.name,
      metadata: {},
      me: device.phone === null ? null : { id: `${device.phone}@c.us` },
      payload: told.payload,
      engine: 'NOWEB',
    }
  );
};

interface Told {
  readonly event: string;
  readonly payload: object;
}

const jidOf = (address: unknown): string => String(address).replace(/@s\.whatsapp\.net$/, '@c.us');
const isOurs = (data: Data): boolean => data['direction'] === 'outbound';
const idOf = (data: Data): string => `${isOurs(data)}_${jidOf(data['chat_id'])}_${data['wa_message_id'] ?? data['message_id']}`;

const ACKS: Readonly<Record<string, readonly [ack: number, ackName: string]>> = {
  'message.delivered': [2, 'DEVICE'],
  'message.read': [3, 'READ'],
  'message.failed': [-1, 'ERROR'],
};

function toldOf(type: string, data: Data, { device, at }: Pick<Around, 'device'> & { readonly at: number }): Told | null {
  const acked = ACKS[type];
  if (acked) return { event: 'message.ack', payload: { ...keyOf(data), ack: acked[0], ackName: acked[1] } };
  switch (type) {
    case 'message.received':
      return { event: 'message', payload: contentOf(data, at) };
    case 'message.sent':
      return { event: 'message.any', payload: { ...contentOf(data, at), source: data['from_phone'] === true ? 'app' : 'api' } };
    case 'message.edited':
      return { event: 'message.edited', payload: contentOf(data, at) };
    case 'message.deleted':
      return { event: 'message.revoked', payload: { ...keyOf(data), revokedMessageId: idOf(data) } };
    case 'message.reaction': {
      const messageId = data['target_wa_message_id'];
      return { event: 'message.reaction', payload: { ...contentOf(data, at), reaction: { text: data['emoji'], messageId } } };
    }
    case 'session.connected':
      return { event: 'session.status', payload: { name: device.name, status: 'WORKING' } };
    case 'session.disconnected':
      return { event: 'session.status', payload: { name: device.name, status: data['cause'] === 'logged_out' ? 'FAILED' : 'STARTING' } };
    case 'qr.generated':
      return { event: 'session.status', payload: { name: device.name, status: 'SCAN_QR_CODE' } };
    default:
      return null;
  }
}

function keyOf(data: Data) {
  const chat = jidOf(data['chat_id']);
  return { id: idOf(data), from: chat, to: isOurs(data) ? chat : null, fromMe: isOurs(data) };
}

function contentOf(data: Data, at: number) {
  const { media } = data;
  const sender = memberOf(data['sender'], 'chat_id');
  return {
    ...keyOf(data),
    timestamp: Math.floor(at / 1_000),
    participant: String(data['chat_id']).endsWith('@g.us') && sender !== undefined ? jidOf(sender) : null,
    body: data['body'] ?? '',
    hasMedia: media !== undefined,
    media:
      media === undefined
        ? null
        : { url: memberOf(media, 'key') && `/v1/media/${memberOf(media, 'key')}`, mimetype: memberOf(media, 'content_type') },
  };
}

export const WAHA_EVENTS: Readonly<Record<string, readonly string[]>> = {
  message: ['message.received'],
  'message.any': ['message.received', 'message.sent'],
  'message.ack': ['message.delivered', 'message.read', 'message.failed'],
  'message.edited': ['message.edited'],
  'message.revoked': ['message.deleted'],
  'message.reaction': ['message.reaction'],
  'session.status': ['session.connected', 'session.disconnected', 'qr.generated'],
};
