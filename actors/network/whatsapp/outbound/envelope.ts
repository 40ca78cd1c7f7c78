import { entriesOf } from '../../../../runtime/keys-of.ts';
import type { Library, proto } from '../library.ts';

export interface Envelope {
  readonly kind: 'text' | 'media' | 'poll' | 'reaction';
  readonly seal: Readonly<Record<string, string>>;
}

const MEDIA = {
  imageMessage: 'image',
  videoMessage: 'video',
  documentMessage: 'document',
  contactMessage: 'vcard',
  stickerMessage: 'sticker',
} as const;

export function envelopeOf(library: Library, message: proto.IMessage): Envelope {
  const plain = library.normalizeMessageContent(message) ?? {};
  if (plain.reactionMessage) return { kind: 'reaction', seal: { 'decrypt-fail': 'hide' } };
  if (plain.pollCreationMessageV3) return { kind: 'poll', seal: {} };
  if (plain.audioMessage) return { kind: 'media', seal: { mediatype: plain.audioMessage.ptt ? 'ptt' : 'audio' } };
  if (plain.ptvMessage) return { kind: 'media', seal: { mediatype: 'ptv' } };
  if (plain.extendedTextMessage?.matchedText || plain.groupInviteMessage) return { kind: 'media', seal: { mediatype: 'url' } };
  if (plain.videoMessage?.gifPlayback) return { kind: 'media', seal: { mediatype: 'gif' } };
  for (const [field, mediatype] of entriesOf(MEDIA)) if (plain[field]) return { kind: 'media', seal: { mediatype } };
  return { kind: 'text', seal: {} };
}
