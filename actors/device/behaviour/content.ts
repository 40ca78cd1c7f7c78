import { present } from '../../../runtime/invariant.ts';
import type { Safe, SafeText } from '../../../runtime/safe-text.ts';
import type { MediaFacts, MessageParts, MessageRow, MessageType } from '../../../store/messaging/messages.ts';
import { lifetimeOf } from '../../domain/message-timers.ts';
import type { Content, FileContent, GroupInvitation, InboundMessage, OutgoingMessage } from '../../network/port.ts';

export function toOutgoing(row: MessageRow, toOfficial: { readonly isAgain: boolean } | null = null): OutgoingMessage {
  const { mentions, preview, album, invite, story: status, ephemeral, official } = row.parts;
  return {
    netId: row.net_id,
    to: row.chat_id,
    content: contentOf(row),
    ...(row.media_r2_key !== null && { fileKey: row.parts.media?.sent?.key ?? row.media_r2_key }),
    quotes: row.quotes,
    ...(mentions && { mentions }),
    ...(preview && { preview }),
    ...(album && { album: { netId: album.net_id, images: album.images ?? 0, videos: album.videos ?? 0 } }),
    ...(invite && { invite: invitationOf(invite) }),
    ...(status && { status }),
    ...(ephemeral !== undefined && { timer: { seconds: ephemeral, at: row.timer_at ?? row.created_at } }),
    ...(toOfficial && { id: row._id, attempt: (row.retries ?? 0) + 1 }),
    ...(toOfficial?.isAgain && { again: { since: row.claimed_at ?? row.created_at, ...(row.held && { isHeld: true }) } }),
    ...(official && { official }),
  };
}

const invitationOf = ({ group_id, subject, code, expires_at }: NonNullable<MessageParts['invite']>): GroupInvitation => ({
  groupId: group_id,
  subject,
  code,
  expiresAt: expires_at,
});

/** Throws for reactions, because they are not sent as messages. */
export function contentOf({ message_type, body, parts }: MessageRow): Content {
  switch (message_type) {
    case 'text':
      return { type: 'text', body: body ?? '' };
    case 'location':
      return { type: 'location', ...present(parts.location, 'the location') };
    case 'contact':
      return { type: 'contact', ...present(parts.contact, 'the contact') };
    case 'poll':
      return { type: 'poll', ...present(parts.poll, 'the poll') };
    case 'reaction':
      throw new Error('a reaction is not sent as a message');
    default:
      return fileContentOf(message_type, body, present(parts.media, 'the file'));
  }
}

function fileContentOf(type: FileContent['type'], caption: string | null, media: MediaFacts): FileContent {
  const { sent, content_type: _type, filename, size: _size, sha256: _sha256, voice_note: voiceNote = false, view_once, ...look } = media;
  const { content_type: contentType, size, sha256 } = sent ?? media;
  const file = { contentType, filename, size, sha256 };
  return { type, file, caption, voiceNote, ...look, ...(view_once && { viewOnce: true }) };
}

export function partsOf(content: Safe<Content>): { message_type: MessageType; body: SafeText | null; parts: MessageParts } {
  switch (content.type) {
    case 'text':
      return { message_type: 'text', body: content.body, parts: {} };
    case 'location':
      return { message_type: 'location', body: null, parts: { location: { lat: content.lat, lng: content.lng } } };
    case 'contact':
      return { message_type: 'contact', body: content.name, parts: { contact: { name: content.name, phone: content.phone } } };
    case 'poll':
      return { message_type: 'poll', body: content.name, parts: { poll: { name: content.name, choices: content.choices } } };
    default:
      return { message_type: content.type, body: content.caption, parts: { media: mediaOf(content) } };
  }
}

function mediaOf({ file, voiceNote, type: _type, caption: _caption, viewOnce, ...look }: FileContent): MediaFacts {
  const { contentType: content_type, filename: name, size, sha256 } = file;
  // File names from phones contain no folders, so a slash is part of the name.
  const filename = name === null ? null : name.replace(/[/\\]/g, '_');
  return { content_type, filename, size, sha256, ...(voiceNote && { voice_note: true }), ...(viewOnce && { view_once: true }), ...look };
}

export function extrasOf({ extras, mentions }: Pick<Safe<InboundMessage>, 'extras' | 'mentions'>): MessageParts {
  const { ephemeral, ...others } = extras ?? {};
  return {
    ...others,
    ...(lifetimeOf(ephemeral) !== null && { ephemeral }),
    ...(mentions && { mentions }),
  };
}
