import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { ContactCard, ContentKind } from '../../../store/messaging/content-kinds.ts';
import type { LinkPreview } from '../../../store/messaging/message-row.ts';
import type { Content, FileContent } from '../port.ts';
import type { DeviceAction, MessageMarks, NetworkMessage } from './protocol.ts';
import type { PhoneHandle } from './sandbox.ts';

export interface SmallPicture {
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

export interface ShownLook {
  readonly seconds?: number;
  readonly waveform?: readonly number[];
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  readonly thumbnail?: SmallPicture;
  readonly gif?: true;
  readonly round?: true;
  readonly view_once?: true;
  readonly hd?: true;
  readonly sticker?: { readonly pack: string | null; readonly animated: boolean };
}

export interface ShownMessage extends ShownLook {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly type: Content['type'] | 'reaction' | 'edit' | 'delete' | 'vote' | 'call' | 'read' | 'invite' | 'album' | ContentKind;
  readonly body: string | null;
  readonly at: number;
  readonly reply_to: string | null;
  readonly mentions?: readonly string[];
  readonly content?: Readonly<Record<string, unknown>>;
  readonly contacts?: readonly ContactCard[];
  readonly forwarded?: true;
  readonly album_id?: string;
  readonly ephemeral?: number;
  readonly group_id?: string;
  readonly code?: string;
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly contact?: { readonly name: string; readonly phone: string };
  readonly poll_name?: string;
  readonly choices?: readonly string[];
  readonly caption?: string | null;
  readonly file?: { readonly content_type: string; readonly filename: string | null; readonly size: number; readonly sha256: string };
  readonly voice_note?: boolean;
  readonly background_color?: string;
  readonly preview?: {
    readonly title: string;
    readonly description: string | null;
    readonly url: string;
    readonly picture: SmallPicture | null;
  };
  readonly addressed?: 'number' | 'lid';
  readonly reactions?: readonly { readonly from: string; readonly emoji: string }[];
  readonly votes?: readonly { readonly from: string; readonly choices: readonly string[] }[];
  readonly edited?: true;
  readonly receipts?: { readonly delivered_at: number | null; readonly read_at: number | null; readonly played_at: number | null };
  readonly deleted?: true;
  readonly target?: string;
}

export function screenOf(phone: PhoneHandle, limit: number): readonly ShownMessage[] {
  const messages = phone.messages(limit).map((networkMessage) => marked(toShown(networkMessage), phone.receipts(networkMessage.netId)));
  const reactions = phone.reactions(limit).map(actionShown);
  return [...messages, ...reactions].toSorted((one, other) => other.at - one.at).slice(0, limit);
}

export function actionShown({ netId: id, from, to, target, act, at }: DeviceAction): ShownMessage {
  const common = { id, from, to: plain(to), at, reply_to: null, target };
  switch (act.kind) {
    case 'reaction':
      return { ...common, type: 'reaction', body: act.emoji };
    case 'edited':
      return { ...common, type: 'edit', body: act.body };
    case 'deleted':
      return { ...common, type: 'delete', body: null };
    case 'vote':
      return { ...common, type: 'vote', body: null, choices: act.choices };
    default:
      return unreachable(act);
  }
}

function marked(shown: ShownMessage, { reactions, votes, body, deleted, given }: MessageMarks): ShownMessage {
  if (deleted) {
    const { id, from, to, type, at } = shown;
    return { id, from, to, type, body: null, at, reply_to: null, deleted };
  }
  return {
    ...shown,
    ...(body !== null && { body, edited: true }),
    ...(reactions.size > 0 && { reactions: [...reactions].map(([from, emoji]) => ({ from, emoji })) }),
    ...(given.delivered !== undefined && { receipts: receiptsShown(given) }),
    ...(votes.size > 0 && { votes: [...votes].map(([from, choices]) => ({ from, choices })) }),
  };
}

const receiptsShown = ({ delivered, read, played }: MessageMarks['given']) => ({
  delivered_at: delivered ?? null,
  read_at: read ?? null,
  played_at: played ?? null,
});

const plain = (to: string): string => to.replace(/@s\.whatsapp\.net$/, '');

export function toShown(networkMessage: NetworkMessage): ShownMessage {
  const { netId: id, from, to, content, at, quotes, mentions, invite, background, addressed, preview } = networkMessage;
  const { type, body, ...shown } = shownContent(content);
  const common = { id, from, to: plain(to), body, at, reply_to: quotes, ...(addressed && { addressed }) };
  if (invite) return { ...common, type: 'invite', group_id: invite.groupId, code: invite.code };
  const { kind, content: fields, contacts, forwarded, ephemeral, album } = networkMessage.extras ?? {};
  const beside = {
    ...(album && { album_id: album.net_id }),
    ...(contacts && { contacts }),
    ...(forwarded && { forwarded }),
    ...(ephemeral !== undefined && { ephemeral }),
  };
  if (kind) return { ...common, type: kind, ...(fields && { content: fields }), ...beside };
  const card = preview?.title === undefined ? {} : { preview: cardOf(preview, preview.title) };
  const extras = { ...beside, ...card, ...(mentions && { mentions }), ...(background !== undefined && { background_color: background }) };
  return { ...common, type, ...extras, ...shown };
}

const cardOf = ({ url, description, picture }: LinkPreview, title: string): NonNullable<ShownMessage['preview']> => ({
  title,
  description: description ?? null,
  url,
  picture: picture === undefined ? null : smallPicture(picture),
});

type ShownContent = Omit<ShownMessage, 'id' | 'from' | 'to' | 'at' | 'reply_to' | 'mentions' | 'type'> & { readonly type: Content['type'] };

function shownContent(content: Content): ShownContent {
  switch (content.type) {
    case 'text':
      return content;
    case 'location':
      return { type: content.type, body: null, location: { lat: content.lat, lng: content.lng } };
    case 'contact':
      return { type: content.type, body: null, contact: { name: content.name, phone: content.phone } };
    case 'poll':
      return { type: content.type, body: null, poll_name: content.name, choices: content.choices };
    default:
      return { type: content.type, body: null, ...shownFile(content) };
  }
}

function smallPicture(base64: string): SmallPicture {
  const jpeg = Buffer.from(base64, 'base64');
  for (let from = 2; from + 9 <= jpeg.length && jpeg[from] === 0xff; from += 2 + jpeg.readUInt16BE(from + 2))
    if (((jpeg[from + 1] ?? 0) & 0xfc) === 0xc0)
      return { width: jpeg.readUInt16BE(from + 7), height: jpeg.readUInt16BE(from + 5), bytes: jpeg.length };
  return { width: 0, height: 0, bytes: jpeg.length };
}

type ShownFile = Pick<ShownMessage, 'caption' | 'file' | 'voice_note' | keyof ShownLook>;

function shownFile({ type, file, caption, voiceNote, seconds, width, height, pages, ...look }: FileContent): Omit<ShownFile, 'type'> {
  const { contentType: content_type, filename, size, sha256 } = file;
  const { waveform, thumbnail, gif, round, viewOnce, hd, pack, animated } = look;
  return {
    caption,
    file: { content_type, filename, size, sha256 },
    ...(voiceNote && { voice_note: true }),
    ...(seconds !== undefined && { seconds }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(pages !== undefined && { pages }),
    ...(thumbnail !== undefined && { thumbnail: smallPicture(thumbnail) }),
    ...(gif && { gif }),
    ...(round && { round }),
    ...(viewOnce && { view_once: viewOnce }),
    ...(hd && { hd }),
    ...(type === 'sticker' && { sticker: { pack: pack ?? null, animated: animated === true } }),
    ...(waveform !== undefined && { waveform: [...Buffer.from(waveform, 'base64')] }),
  };
}
