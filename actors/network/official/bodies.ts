import { extensionOf } from '../../domain/file-extensions.ts';
import { phoneOf } from '../jid.ts';
import type { OutgoingMessage } from '../port.ts';

/**
 * Builds the bodies of send requests. A number must start with `+`; otherwise, the platform adds
 * the country code of the business. A person without a number is addressed by `recipient`, never by
 * `to`.
 */

type Body = Readonly<Record<string, unknown>>;

export function personOf(chat: string, businessScopedId: string | null): Body | null {
  const digits = phoneOf(chat);
  if (digits !== null) return { to: `+${digits}` };
  return businessScopedId === null ? null : { recipient: businessScopedId };
}

export const envelope = (person: Body, opaque: string): Body => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  ...person,
  biz_opaque_callback_data: opaque,
});

/** Whether the platform sent the message. Messages from before the number joined cannot be quoted. */
export const isOfPlatform = (netId: string): boolean => netId.startsWith('wamid.');

export function contentBody(message: OutgoingMessage, mediaId: string | null): Body | null {
  const { content, quotes, official, preview } = message;
  const context = quotes === null || !isOfPlatform(quotes) ? {} : { context: { message_id: quotes } };
  if (official?.template) return { ...context, type: 'template', template: withHeader(official.template, message, mediaId) };
  if (official?.interactive) return { ...context, type: 'interactive', interactive: headed(official.interactive, message, mediaId) };
  switch (content.type) {
    case 'text':
      return { ...context, type: 'text', text: { body: content.body, preview_url: preview !== undefined } };
    case 'location':
      return { ...context, type: 'location', location: { latitude: content.lat, longitude: content.lng } };
    case 'contact': {
      const { name, phone } = content;
      const card = { name: { formatted_name: name, first_name: name }, phones: [{ phone: `+${phone}`, type: 'CELL' }] };
      return { ...context, type: 'contacts', contacts: [card] };
    }
    case 'poll':
      return null;
    case 'audio':
      return { ...context, type: 'audio', audio: { id: mediaId, ...(content.voiceNote && { voice: true }) } };
    case 'sticker':
      return { ...context, type: 'sticker', sticker: { id: mediaId } };
    default: {
      const { type, caption, file } = content;
      const named = type === 'document' && file.filename !== null ? { filename: file.filename } : {};
      return { ...context, type, [type]: { id: mediaId, ...named, ...(caption !== null && { caption }) } };
    }
  }
}

function headerOf({ content }: OutgoingMessage, mediaId: string | null): Body | null {
  if (mediaId === null || !('file' in content)) return null;
  const { type, file } = content;
  return { type, [type]: { id: mediaId, ...(type === 'document' && file.filename !== null && { filename: file.filename }) } };
}

function headed(interactive: Body, message: OutgoingMessage, mediaId: string | null): Body {
  const header = headerOf(message, mediaId);
  return header ? { ...interactive, header } : interactive;
}

function withHeader(template: Body, message: OutgoingMessage, mediaId: string | null): Body {
  const parameter = headerOf(message, mediaId);
  if (!parameter) return template;
  const header = { type: 'header', parameters: [parameter] };
  const components = Array.isArray(template['components']) ? template['components'] : [];
  return { ...template, components: [header, ...components] };
}

export function uploadOf(contentType: string, filename: string | null): { readonly name: string; readonly type: string } {
  const [plain = contentType] = contentType.split(';');
  const type = plain === 'audio/ogg' || plain === 'audio/opus' ? 'audio/ogg; codecs=opus' : plain;
  const extension = extensionOf(plain);
  const name = filename ?? 'file';
  return { name: extension === undefined || name.toLowerCase().endsWith(`.${extension}`) ? name : `${name}.${extension}`, type };
}
