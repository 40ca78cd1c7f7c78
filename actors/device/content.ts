import type { MessageParts, MessageRow, MessageType } from '../../store/messages.ts';
import type { Content, OutgoingMessage } from '../network/port.ts';

/** A stored row as the network driver takes it. */
export function toOutgoing(row: MessageRow): OutgoingMessage {
  const { mentions, link_preview: linkPreview } = row.parts;
  return {
    netId: row.net_id,
    to: row.chat_id,
    content: contentOf(row),
    quotes: row.quotes,
    ...(mentions && { mentions }),
    ...(linkPreview !== undefined && { linkPreview }),
  };
}

function contentOf({ message_type, body, parts }: MessageRow): Content {
  switch (message_type) {
    case 'text':
      return { type: 'text', body: body ?? '' };
    case 'location':
      return { type: 'location', ...parts.location! };
    case 'contact':
      return { type: 'contact', ...parts.contact! };
    case 'poll':
      return { type: 'poll', ...parts.poll! };
    default:
      throw new Error(`no content for ${message_type}`);
  }
}

/** The same from the network's side: what a row stores of a content. */
export function partsOf(content: Content): { message_type: MessageType; body: string | null; parts: MessageParts } {
  switch (content.type) {
    case 'text':
      return { message_type: 'text', body: content.body, parts: {} };
    case 'location':
      return { message_type: 'location', body: null, parts: { location: { lat: content.lat, lng: content.lng } } };
    case 'contact':
      return { message_type: 'contact', body: content.name, parts: { contact: { name: content.name, phone: content.phone } } };
    case 'poll':
      return { message_type: 'poll', body: content.name, parts: { poll: { name: content.name, choices: content.choices } } };
  }
}
