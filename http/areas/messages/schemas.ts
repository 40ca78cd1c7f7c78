import { hash } from 'node:crypto';
import Joi from 'joi';
import { failureReason } from '../../../actors/domain/failure-reasons.ts';
import type { Interactive } from '../../../actors/domain/official-interactive.ts';
import { MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH } from '../../../actors/domain/text-tokens.ts';
import { type Beside, besideOf, type NamedPerson, namedPerson } from '../../../actors/services/events/beside.ts';
import { waMessageIdOf } from '../../../actors/services/messaging/wa-message-id.ts';
import type { NamedRecipient } from '../../../actors/services/people/usernames.ts';
import type { ContentKind } from '../../../store/messaging/content-kinds.ts';
import type { AlbumPart } from '../../../store/messaging/message-row.ts';
import type {
  AiFacts,
  EntryType,
  MediaFacts,
  MessageParts,
  MessageRow,
  MessageType,
  OwnPreview,
  StoredStatus,
} from '../../../store/messaging/messages.ts';
import { FileNotesFields, FutureTime, Timestamp, Ulid } from '../../core/schemas.ts';
import { AiEngine, AiSources, Share } from '../ai-reply/schemas.ts';
import { type Aside, EXPLAINED, type Explained } from './aside-schemas.ts';
import { BESIDE, Kind, LinkPreviewSchema, Person } from './content-schemas.ts';
import { type Costly, CostSchema, costOf, InteractiveSchema, VariablesSchema } from './official-schemas.ts';

export const MESSAGE_TYPES = ['text', 'image', 'document', 'audio', 'video', 'sticker', 'location', 'poll', 'contact'] as const;
export const ENTRY_TYPES = [...MESSAGE_TYPES, 'reaction'] as const;
export const STATUSES = ['queued', 'sent', 'delivered', 'read', 'failed', 'cancelled', 'deleted'] as const;

export interface LogEntry extends Explained {
  readonly id: string;
  readonly session_id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly chat_id: string;
  readonly message_type: EntryType;
  readonly body: string | null;
  readonly media_r2_key: string | null;
  readonly status: Exclude<StoredStatus, 'sending'>;
  readonly created_at: number;
  readonly sender: string | null;
  readonly sender_name: string | null;
  readonly sender_username?: string;
  readonly kind?: ContentKind | null;
  readonly historic?: true;
  readonly starred?: true;
  readonly removed_at?: number;
  readonly album_id?: string;
}

/** `sender` is null if this device reacted. */
export interface ShownReaction {
  readonly emoji: string;
  readonly sender: string | null;
  readonly sender_name: string | null;
  readonly at: number;
}

interface ShownFile extends Omit<MediaFacts, 'sent' | 'thumbnail' | 'waveform'> {
  readonly waveform?: readonly number[];
}

/** `wa_message_id` is null until the message has been passed to the network. */
export interface FullEntry
  extends LogEntry,
    Costly,
    Omit<MessageParts, 'reaction' | 'story' | 'invite' | 'media' | 'mentions' | 'preview' | 'album' | 'official' | keyof Beside>,
    Partial<Beside> {
  readonly mentions?: readonly (string | NamedPerson)[];
  readonly media?: ShownFile;
  readonly invite?: { readonly group_id: string; readonly expires_at: number };
  readonly reaction?: { readonly message_id: string | null; readonly wa_message_id: string };
  readonly reactions?: readonly ShownReaction[];
  readonly reply_to?: string | null;
  readonly edited_at?: number;
  readonly deleted_at?: number;
  readonly from_phone?: true;
  readonly ai?: AiFacts;
  readonly expires_at?: number;
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
  readonly error: string | null;
  readonly wa_message_id: string | null;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
}

/** `aside` is absent in responses that contain only a message's content. */
export function toMessage(row: MessageRow, aside?: Aside): LogEntry {
  return {
    id: row._id,
    session_id: row.session_id,
    direction: row.direction,
    chat_id: row.chat_id,
    message_type: row.message_type,
    body: row.body,
    media_r2_key: row.media_r2_key,
    status: row.status === 'sending' ? 'queued' : row.status,
    created_at: row.created_at,
    sender: row.sender,
    sender_name: row.sender_name,
    ...(row.sender_username && { sender_username: row.sender_username }),
    ...(row.parts.kind && { kind: row.parts.kind }),
    ...(row.history && { historic: true as const }),
    ...(row.starred && { starred: true as const }),
    ...(row.removed_at !== undefined && { removed_at: row.removed_at }),
    ...(row.parts.album && { album_id: albumIdOf(row, row.parts.album) }),
    ...(aside?.sentBy && { sent_by: aside.sentBy }),
    ...(aside?.waiting && { waiting: aside.waiting }),
    ...(aside && row.status === 'failed' && { error: row.error, reason: failureReason(row.error, aside.lang) }),
  };
}

/** The id depends on chat and sender, so that a file never joins another person's album. */
const albumIdOf = ({ chat_id, sender }: MessageRow, { id, net_id }: AlbumPart): string =>
  id ?? `album_${hash('sha256', JSON.stringify([chat_id, sender, net_id])).slice(0, 26)}`;

export function toFullMessage(row: MessageRow, aside: Aside, reactions: readonly MessageRow[] = []): FullEntry {
  const { reaction, story: _story, preview: _preview, album: _album, official: _official, ...rest } = row.parts;
  const { invite, media, mentions, ...parts } = rest;
  const isFromOutside = row.direction === 'inbound' || row.from_phone === true;
  return {
    ...toMessage(row, aside),
    ...parts,
    ...(reaction === undefined && besideOf(row)),
    ...(mentions && { mentions: isFromOutside ? mentions.map(namedPerson) : mentions }),
    ...(media && { media: shownFile(media) }),
    ...(invite && { invite: { group_id: invite.group_id, expires_at: invite.expires_at } }),
    ...(reaction && { reaction: { message_id: reaction.message_id, wa_message_id: reaction.target } }),
    ...(reactions.length > 0 && { reactions: reactions.map(toReaction) }),
    ...(row.edited_at !== undefined && { edited_at: row.edited_at }),
    ...(row.deleted_at !== undefined && { deleted_at: row.deleted_at }),
    ...(row.expires_at !== undefined && { expires_at: row.expires_at }),
    ...(row.from_phone && { from_phone: row.from_phone }),
    ...costOf(row),
    ...(row.ai && { ai: row.ai }),
    error: row.error,
    wa_message_id: waMessageIdOf(row),
    sent_at: row.status === 'queued' ? null : row.sent_at,
    delivered_at: row.delivered_at,
    read_at: row.read_at,
  };
}

function shownFile({ sent: _sent, thumbnail: _thumbnail, waveform, ...shown }: MediaFacts): ShownFile {
  return { ...shown, ...(waveform !== undefined && { waveform: [...Buffer.from(waveform, 'base64')] }) };
}

const toReaction = ({ body, sender, sender_name, parts, created_at }: MessageRow): ShownReaction => ({
  emoji: body ?? '',
  sender,
  sender_name,
  at: parts.reaction?.at ?? created_at,
});

const time = Joi.number().integer().allow(null);

export const MessageSchema = Joi.object({
  id: Ulid.required(),
  session_id: Ulid.required(),
  direction: Joi.string().valid('inbound', 'outbound').required(),
  chat_id: Joi.string().max(64).required(),
  message_type: Joi.string()
    .valid(...ENTRY_TYPES)
    .required(),
  body: Joi.string().allow(null, '').required(),
  media_r2_key: Joi.string().allow(null).required(),
  status: Joi.string()
    .valid(...STATUSES)
    .required(),
  created_at: Joi.number().integer().required(),
  sender: Joi.string().allow(null).required().description('The sender of an inbound message'),
  sender_name: Joi.string()
    .allow(null, '')
    .required()
    .description('Name of the contact, or else the name that the sender showed. Only in lists and in single messages'),
  sender_username: Joi.string().description('The username of the person, without `@`; absent if not known'),
  kind: Kind,
  historic: Joi.valid(true).description('True for messages from before the device was linked, or loaded later; otherwise absent'),
  starred: Joi.valid(true).description('True if the owner of the number starred it on the phone; otherwise absent'),
  removed_at: Timestamp.description('When the owner deleted the message on the phone only for themselves; absent if never'),
  album_id: Joi.string().max(64).description('The same id for all pictures and videos of an album'),
  ...EXPLAINED,
}).meta({ title: 'MessageLogEntry' });

const Location = Joi.object({ lat: Joi.number().min(-90).max(90).required(), lng: Joi.number().min(-180).max(180).required() }).meta({
  title: 'Location',
});
const Choices = Joi.array().items(Joi.string().min(1).max(80)).min(2).max(12);

const Warnings = Joi.array().items(
  Joi.object({ code: Joi.string().required().example('RECIPIENT_OPTED_OUT'), message: Joi.string().required() }).meta({
    title: 'Warning',
  }),
);

/** Text set by the other person's client, which may leave it empty. */
const fromOutside = Joi.string().allow('');

export const FullMessageSchema = MessageSchema.keys({
  location: Location,
  contact: Joi.object({ name: fromOutside.required(), phone: fromOutside.required() }).meta({ title: 'MessageContact' }),
  poll: Joi.object({ name: fromOutside.required(), choices: Joi.array().items(fromOutside).required() }).meta({ title: 'MessagePoll' }),
  media: Joi.object({
    content_type: Joi.string().required(),
    filename: Joi.string().allow(null).required(),
    size: Joi.number().integer().required().unit('bytes'),
    sha256: fromOutside.required(),
    voice_note: Joi.boolean(),
    ...FileNotesFields,
    animated: Joi.valid(true).description('Only for stickers'),
    pack: Joi.string().allow(''),
    gif: Joi.valid(true),
    round: Joi.valid(true),
    view_once: Joi.valid(true),
    hd: Joi.valid(true),
    waveform: Joi.array().items(Joi.number().integer().min(0).max(100)).length(64).description('Only for voice notes'),
  })
    .meta({ title: 'MessageMedia' })
    .description('The file; `body` is its caption'),
  mentions: Joi.array()
    .items(Joi.alternatives(Person, Joi.string()))
    .description('People who are mentioned in the text: persons for received messages, addresses for messages sent from here'),
  ...BESIDE,
  link_preview: LinkPreviewSchema,
  warnings: Warnings.description('Parts that were sent differently than requested, such as `PREVIEW_UNAVAILABLE`. Only in single messages'),
  invite: Joi.object({
    group_id: Joi.string().required().example('120363025246125888@g.us'),
    expires_at: Joi.number().integer().required(),
  })
    .meta({ title: 'MessageInvite' })
    .description('An invitation of this person to a group; `body` is the accompanying text'),
  reaction: Joi.object({ message_id: Ulid.allow(null).required(), wa_message_id: Joi.string().required() })
    .meta({ title: 'ReactionTarget' })
    .description('The target of a reaction; `body` is the emoji, empty if the reaction was removed, null if the entry was deleted'),
  reactions: Joi.array()
    .items(
      Joi.object({
        emoji: Joi.string().required(),
        sender: Joi.string().allow(null).required().description('null for this device'),
        sender_name: Joi.string().allow(null, '').required(),
        at: Joi.number().integer().required(),
      }).meta({ title: 'MessageReaction' }),
    )
    .description('Current reactions, only in single messages; absent if there are none'),
  reply_to: Ulid.allow(null).description(
    'The quoted message, only in single messages; null if it is not in the log; absent if nothing is quoted',
  ),
  edited_at: Joi.number().integer().description('When the text was last edited'),
  deleted_at: Joi.number().integer().description('When the message was deleted. Its content is removed'),
  expires_at: Joi.number().integer().description('The message is not sent after this time'),
  from_phone: Joi.valid(true).description('True if the number’s owner wrote it on the phone or on another linked device; otherwise absent'),
  ai: Joi.object({
    engine: AiEngine.required(),
    score: Share.required(),
    threshold: Share.required(),
    sources: AiSources.required(),
  })
    .meta({ title: 'AiFacts' })
    .description('Sources of an AI reply. Only in single messages'),
  cost: CostSchema,
  error: Joi.string().allow(null).required().description('Error code of a failed message'),
  wa_message_id: Joi.string().allow(null).required().description('null until the message is handed to the network'),
  sent_at: time.required(),
  delivered_at: time.required(),
  read_at: time.required(),
}).meta({ title: 'Message' });

export type Recipient = { readonly lid: string } | NamedRecipient;

export interface SendBody {
  /** Exactly one of `chat_id` and `recipient` is required. */
  readonly chat_id?: string;
  readonly recipient?: Recipient;
  readonly type: MessageType;
  readonly body?: string;
  readonly template_id?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly interactive?: Interactive;
  readonly media_r2_key?: string;
  readonly url?: string;
  readonly filename?: string;
  readonly caption?: string;
  readonly voice_note?: boolean;
  readonly convert?: boolean;
  readonly gif?: boolean;
  readonly round?: boolean;
  readonly view_once?: boolean;
  readonly hd?: boolean;
  readonly sticker?: { readonly pack?: string; readonly publisher?: string; readonly emojis?: readonly string[] };
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly poll_name?: string;
  readonly choices?: readonly string[];
  readonly contact?: { readonly name: string; readonly phone: string };
  readonly reply_to?: string;
  readonly connect_only?: boolean;
  readonly country_code?: string;
  readonly priority?: number;
  readonly mentions?: readonly string[];
  readonly link_preview?: boolean | OwnPreview;
  readonly expires_at?: number;
}

const RecipientSchema = Joi.object({
  lid: Joi.string()
    .pattern(/^\d{1,30}@lid$/)
    .description('A hidden address'),
  username: Joi.string().min(1).max(64).description('A name on the network, with or without `@`. The device looks it up now'),
  key: Joi.string()
    .pattern(/^\d{4}$/)
    .description('The four digits of a protected username. Never stored'),
})
  .meta({ title: 'RecipientWithoutNumber' })
  .description('A person whose number is not known, instead of `chat_id`');

export const SendSchema = Joi.object<SendBody>({
  chat_id: Joi.string().min(1).max(64).description('A JID or a phone number; required without `recipient`').example('+6281234567890'),
  recipient: RecipientSchema,
  type: Joi.string()
    .valid(...MESSAGE_TYPES)
    .required()
    .example('text'),
  body: Joi.string().min(1).max(MAX_TEXT_LENGTH).description('Required for text, unless `template_id` is given').example('Hello!'),
  template_id: Ulid.description('A template instead of `body` (or of file and caption), filled in from the contact of the chat'),
  variables: VariablesSchema,
  interactive: InteractiveSchema,
  media_r2_key: Joi.string()
    .min(1)
    .max(256)
    .description('Required for image, video, audio, document and sticker, unless `url` is given: the key of an uploaded file'),
  url: Joi.string()
    .min(1)
    .max(2_048)
    .description('A public https address instead of `media_r2_key` (not both), downloaded before the response is sent; at most 25 MB'),
  filename: Joi.string()
    .min(1)
    .max(255)
    .description('The file name that the recipient sees. With `url`, its extension decides the type if the bytes are ambiguous'),
  caption: Joi.string().max(MAX_CAPTION_LENGTH).description('For an image, a video or a document'),
  voice_note: Joi.boolean().description('Audio only: shown as a voice note. The file is converted to the format of phone recordings'),
  convert: Joi.boolean()
    .meta({ default: true })
    .description('False: a voice note is sent unconverted, and is refused if it is not in the format of phone recordings'),
  gif: Joi.boolean().description('Video only: plays in a loop, without sound'),
  round: Joi.boolean().description('Video only: shown as a round video note'),
  view_once: Joi.boolean().description('An image, a video or a voice note that can be opened only once'),
  hd: Joi.boolean().description('Image only: allow up to 2560 pixels per side instead of 1600'),
  sticker: Joi.object({
    pack: Joi.string().min(1).max(128).description('Default: the publisher'),
    publisher: Joi.string().min(1).max(128).description('Default: the business'),
    emojis: Joi.array().items(Joi.string().min(1).max(32)).max(3),
  })
    .meta({ title: 'StickerPack' })
    .description('Sticker only: the names of its pack'),
  location: Location.description('Required for location'),
  poll_name: Joi.string().min(1).max(200).description('Required for poll'),
  choices: Choices.description('Required for poll'),
  contact: Joi.object({ name: Joi.string().min(1).max(100).required(), phone: Joi.string().min(1).max(64).required() })
    .meta({ title: 'ContactCard' })
    .description('Required for contact; sent as a vCard'),
  reply_to: Ulid.description('The message to quote'),
  connect_only: Joi.boolean()
    .meta({ default: true })
    .description('True: refuse with CONFLICT while the device is not connected; false: queue'),
  country_code: Joi.string()
    .pattern(/^\d{1,4}$/)
    .description('Country code for numbers in local format; default: the business country'),
  priority: Joi.number().integer().min(0).max(9).meta({ default: 0 }).description('Priority among messages of the same kind, higher first'),
  mentions: Joi.array()
    .items(Joi.string().min(1).max(64))
    .max(256)
    .description('JIDs or phone numbers of people mentioned in the text; `everyone` for all members of the group'),
  link_preview: LinkPreviewSchema.description(
    'Text only. True: a preview of the first link, fetched before sending, for at most 7 seconds. An object: your own preview. Default: on the real ' +
      'network, the first https link of the text (of a template, before it is filled in), if it has no query. If that fails, there is no preview: see `warnings`',
  ),
  expires_at: FutureTime.description(
    'The message is not sent after this time and fails with `expired`, within a minute if the device is offline',
  ),
}).meta({ title: 'SendMessageRequest' });

export const SentSchema = Joi.object({
  id: Ulid.required(),
  status: Joi.string().valid('queued', 'sent', 'failed').required(),
  wa_message_id: Joi.string().allow(null).required().description('null until the message is handed to the network'),
  warnings: Warnings.description('Warnings about an accepted message'),
  idempotent_replay: Joi.boolean().valid(true).description('True if an earlier request with the same `Idempotency-Key` sent the message'),
}).meta({ title: 'SendMessageResponse' });
