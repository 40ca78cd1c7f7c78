import type { LinkPreview } from '../../../../store/messaging/message-row.ts';
import { documentName } from '../../../domain/file-extensions.ts';
import type { Album } from '../../album-turns.ts';
import type { Content, FileContent, GroupInvitation, OutgoingMessage, OutgoingReaction } from '../../port.ts';
import type { MessageTimer } from '../../timers.ts';
import type { AuthenticationCreds, Library, proto } from '../library.ts';
import { calculateMAC } from '../libsignal/crypto.ts';
import { argbOf } from './audience.ts';
import type { Uploaded } from './uploaded.ts';

type Message = proto.IMessage;

export interface Composed {
  readonly message: Message;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly pollType?: 'creation';
}

type ToCompose = Pick<OutgoingMessage, 'netId' | 'content' | 'mentions' | 'status' | 'invite' | 'preview' | 'album' | 'timer'> &
  Partial<Pick<OutgoingMessage, 'to'>>;

/** Adds a secret with which readers encrypt edits, reactions and comments. `quote` is from `quoteOf`. */
export function compose(
  creds: AuthenticationCreds,
  message: ToCompose,
  file: Partial<Uploaded> | null,
  quote: proto.IContextInfo = {},
): Composed {
  const composed = contentOf(message, file, quote);
  if (message.status) return composed;
  const messageContextInfo = { messageSecret: keptSecret(creds, message.netId), ...partOf(message) };
  return { ...composed, message: { messageContextInfo, ...composed.message } };
}

const partOf = ({ album, to }: ToCompose): proto.IMessageContextInfo =>
  album && to !== undefined
    ? { messageAssociation: { associationType: MEDIA_ALBUM, parentMessageKey: { remoteJid: to, fromMe: true, id: album.netId } } }
    : {};

const MEDIA_ALBUM = 1;

export const albumOf = (creds: AuthenticationCreds, { netId, images, videos }: Album): Composed => ({
  message: {
    messageContextInfo: { messageSecret: keptSecret(creds, netId) },
    albumMessage: { expectedImageCount: images, expectedVideoCount: videos },
  },
});

function contentOf(message: ToCompose, file: Partial<Uploaded> | null, quote: proto.IContextInfo): Composed {
  const { content, mentions, status, invite, preview, timer } = message;
  const contextInfo: proto.IContextInfo = { ...quote, ...(mentions && { mentionedJid: [...mentions] }), ...(timer && timed(timer)) };
  const context = Object.keys(contextInfo).length > 0 ? { contextInfo } : {};
  if ('file' in content) return { message: onceOnly(content, fileMessage(content, { ...file, ...context })) };
  if (invite)
    return {
      message: { groupInviteMessage: { ...invitationOf(invite, content.type === 'text' ? content.body : invite.subject), ...context } },
    };
  const backgroundArgb = status ? argbOf(status) : null;
  if (status && content.type === 'text')
    return { message: { extendedTextMessage: { text: content.body, ...(backgroundArgb !== null && { backgroundArgb }) } } };
  if (content.type === 'text' && preview?.title !== undefined)
    return { message: { extendedTextMessage: { text: content.body, ...previewed(preview), ...context } } };
  return plain(content, context);
}

/** `matchedText` is the link exactly as it appears in the text. */
const previewed = ({ url, title, description, picture }: LinkPreview): proto.Message.IExtendedTextMessage => ({
  ...{ matchedText: url, title: title ?? null, previewType: 0 },
  ...(description !== undefined && { description }),
  ...(picture !== undefined && { jpegThumbnail: Buffer.from(picture, 'base64') }),
});

const invitationOf = ({ groupId, subject, code, expiresAt }: GroupInvitation, caption: string): proto.Message.IGroupInviteMessage => ({
  groupJid: groupId,
  groupName: subject,
  inviteCode: code,
  inviteExpiration: Math.floor(expiresAt / 1_000),
  caption,
});

/** States when the timer was set. Otherwise, phones warn that the message will not disappear. */
const timed = ({ seconds, at }: MessageTimer): proto.IContextInfo => ({
  expiration: seconds,
  ephemeralSettingTimestamp: Math.floor(at / 1_000),
  disappearingMode: { initiator: 0, trigger: 1 },
});

type Context = { readonly contextInfo?: proto.IContextInfo };

function plain(content: Exclude<Content, FileContent>, context: Context): Composed {
  switch (content.type) {
    case 'text':
      return {
        message: context.contextInfo ? { extendedTextMessage: { text: content.body, ...context } } : { conversation: content.body },
      };
    case 'location':
      return { message: { locationMessage: { degreesLatitude: content.lat, degreesLongitude: content.lng, ...context } } };
    case 'contact':
      return { message: { contactMessage: { displayName: content.name, vcard: vcard(content.name, content.phone), ...context } } };
    case 'poll':
      return {
        message: {
          pollCreationMessageV3: {
            name: content.name,
            options: content.choices.map((optionName) => ({ optionName })),
            selectableOptionsCount: 1,
            ...context,
          },
        },
        pollType: 'creation',
      };
  }
}

/** Derives the secret from the id, so that a resend has the same secret. */
export function messageSecret(creds: AuthenticationCreds, netId: string): Buffer {
  return calculateMAC(creds.signedIdentityKey.private, Buffer.from(`poll ${netId}`));
}

/** Returns a copy, because a remembered message would otherwise keep a whole pool of buffers in memory. */
const keptSecret = (creds: AuthenticationCreds, netId: string): Uint8Array => new Uint8Array(messageSecret(creds, netId));

const escaped = (text: string): string => text.replace(/[\\,;]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n');

function vcard(name: string, phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return ['BEGIN:VCARD', 'VERSION:3.0', `FN:${escaped(name)}`, `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`, 'END:VCARD'].join(
    '\n',
  );
}

function onceOnly({ type, viewOnce, round }: FileContent, message: Message): Message {
  if (!viewOnce || round || type === 'document' || type === 'sticker') return message;
  const { imageMessage, videoMessage, audioMessage } = message;
  const inside = {
    ...(imageMessage && { imageMessage: { ...imageMessage, viewOnce } }),
    ...(videoMessage && { videoMessage: { ...videoMessage, viewOnce } }),
    ...(audioMessage && { audioMessage: { ...audioMessage, viewOnce } }),
  };
  return audioMessage ? { viewOnceMessageV2Extension: { message: inside } } : { viewOnceMessageV2: { message: inside } };
}

function fileMessage(content: FileContent, rest: Context & Partial<Uploaded>): Message {
  const { type, file, caption, voiceNote, gif, round, animated, seconds, width, height, pages, waveform, thumbnail } = content;
  const common = { ...rest, mimetype: file.contentType };
  const picture = {
    ...(width !== undefined && height !== undefined && { width, height }),
    ...(thumbnail !== undefined && { jpegThumbnail: Buffer.from(thumbnail, 'base64') }),
  };
  const length = seconds === undefined ? {} : { seconds };
  const captioned = { ...common, ...(caption !== null && { caption }) };
  switch (type) {
    case 'image':
      return { imageMessage: { ...captioned, ...picture } };
    case 'video':
      return round
        ? { ptvMessage: { ...common, ...picture, ...length } }
        : { videoMessage: { ...captioned, ...picture, ...length, ...(gif && { gifPlayback: true }) } };
    case 'audio':
      return {
        audioMessage: {
          ...{ ...common, ...length, ptt: voiceNote },
          ...(waveform !== undefined && { waveform: Buffer.from(waveform, 'base64') }),
        },
      };
    case 'sticker':
      return { stickerMessage: { ...common, ...picture, ...(animated && { isAnimated: true }) } };
    case 'document': {
      const name = documentName(file.filename, file.contentType);
      const documentMessage = {
        ...{ ...captioned, fileName: name, title: name },
        ...(pages !== undefined && { pageCount: pages }),
      };
      // Apps show a document's caption only inside this wrapper.
      return caption === null ? { documentMessage } : { documentWithCaptionMessage: { message: { documentMessage } } };
    }
  }
}

interface Key {
  readonly remoteJid: string;
  readonly id: string;
  readonly fromMe: boolean;
  readonly participant?: string;
}

export function keyOf({ netId, from }: OutgoingReaction['target'], to: string): Key {
  const inGroup = to.endsWith('@g.us');
  return { remoteJid: to, id: netId, fromMe: from === null, ...(inGroup && from !== null && { participant: from }) };
}

export const reactionTo = (key: Key, text: string, at: number): Composed => ({
  message: { reactionMessage: { key, text, senderTimestampMs: at } },
});

export const editOf = (library: Library, key: Key, body: string, at: number): Composed => ({
  message: {
    protocolMessage: {
      key,
      type: library.proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
      editedMessage: { conversation: body },
      timestampMs: at,
    },
  },
  attributes: { edit: '1' },
});

export const erasureOf = (library: Library, key: Key): Composed => ({
  message: { protocolMessage: { key, type: library.proto.Message.ProtocolMessage.Type.REVOKE } },
  attributes: { edit: key.fromMe ? '7' : '8' },
});
