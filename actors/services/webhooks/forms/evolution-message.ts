/**
 * Builds a message in the format of Evolution API 2. Contains only the members that programs use.
 */

import { memberOf } from '../../../../runtime/shapes.ts';

export type OurMessage = Readonly<Record<string, unknown>>;

interface Content {
  readonly messageType: string;
  readonly message: Readonly<Record<string, unknown>>;
}

export function evolutionMessage(message: OurMessage, session: string, at: number) {
  const isGroup = String(message['chat_id']).endsWith('@g.us');
  const sender = memberOf(message['sender'], 'chat_id') ?? message['sender'];
  const name = memberOf(message['sender'], 'name') ?? message['sender_name'];
  const { messageType, message: content } = contentOf(message);
  return {
    key: { ...evolutionKey(message), ...(isGroup && typeof sender === 'string' && { participant: sender }) },
    pushName: typeof name === 'string' ? name : '',
    status: STATUSES[String(message['status'])] ?? 'DELIVERY_ACK',
    message: content,
    contextInfo: null,
    messageType,
    messageTimestamp: Math.floor(at / 1_000),
    instanceId: session,
    source: 'unknown',
  };
}

export const evolutionKey = (message: OurMessage) => ({
  remoteJid: String(message['chat_id']),
  fromMe: message['direction'] === 'outbound',
  id: String(message['wa_message_id'] ?? message['message_id'] ?? message['id']),
});

export const STATUSES: Readonly<Record<string, string>> = {
  queued: 'PENDING',
  sent: 'SERVER_ACK',
  delivered: 'DELIVERY_ACK',
  read: 'READ',
  failed: 'ERROR',
  deleted: 'DELETED',
};

const FILES: Readonly<Record<string, string>> = {
  image: 'imageMessage',
  video: 'videoMessage',
  audio: 'audioMessage',
  document: 'documentMessage',
  sticker: 'stickerMessage',
};

function contentOf(message: OurMessage): Content {
  const type = String(message['message_type']);
  const body = message['body'] ?? '';
  const file = FILES[type];
  if (file) return { messageType: file, message: { [file]: fileOf(message['media'], body) } };
  switch (type) {
    case 'location': {
      const { location } = message;
      return one('locationMessage', { degreesLatitude: memberOf(location, 'lat'), degreesLongitude: memberOf(location, 'lng') });
    }
    case 'contact':
      return one('contactMessage', { displayName: body, vcard: vcardOf(message['contact']) });
    case 'poll': {
      const choices = memberOf(message['poll'], 'choices');
      return one('pollCreationMessage', {
        name: body,
        options: (Array.isArray(choices) ? choices : []).map((optionName) => ({ optionName })),
      });
    }
    case 'reaction':
      return one('reactionMessage', { key: { id: targetOf(message) }, text: message['emoji'] ?? body });
    default:
      return { messageType: 'conversation', message: { conversation: body } };
  }
}

const one = (messageType: string, content: object): Content => ({ messageType, message: { [messageType]: content } });

const targetOf = (message: OurMessage): unknown => message['target_wa_message_id'] ?? memberOf(message['reaction'], 'wa_message_id');

function fileOf(media: unknown, caption: unknown) {
  return {
    mimetype: memberOf(media, 'content_type'),
    fileLength: memberOf(media, 'size'),
    fileName: memberOf(media, 'filename') ?? undefined,
    seconds: memberOf(media, 'seconds') ?? undefined,
    width: memberOf(media, 'width') ?? undefined,
    height: memberOf(media, 'height') ?? undefined,
    ptt: memberOf(media, 'voice_note'),
    ...(caption !== '' && { caption }),
  };
}

function vcardOf(contact: unknown): string | undefined {
  const [name, phone] = [memberOf(contact, 'name'), memberOf(contact, 'phone')];
  if (typeof name !== 'string' || typeof phone !== 'string') return undefined;
  const line = (text: string): string => text.replace(/[\r\n]+/g, ' ');
  return `BEGIN:VCARD\nVERSION:3.0\nFN:${line(name)}\nTEL;waid=${line(phone)}:+${line(phone)}\nEND:VCARD`;
}
