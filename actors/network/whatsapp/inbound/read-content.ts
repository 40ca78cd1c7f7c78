import { boundedFields, type ContactCard, type ContentExtras } from '../../../../store/messaging/content-kinds.ts';
import { cut } from '../../../domain/cut.ts';
import { lifetimeOf } from '../../../domain/message-timers.ts';
import type { Content, FileContent, FileReference } from '../../port.ts';
import type { Library, proto } from '../library.ts';
import { cardsOf } from './cards.ts';
import { idIn } from './keyed-message.ts';
import { productFields, type ReadKind, readKind, unsupported, viewOnce, within } from './read-kinds.ts';
import { fieldIn } from './unknown.ts';
import { type Unwrapped, unwrap } from './unwrap.ts';

export interface Written {
  readonly content: Content;
  readonly file?: FileReference;
  readonly quotes: string | null;
  readonly quotesFrom?: string;
  readonly mentions?: readonly string[];
  readonly extras?: ContentExtras;
  readonly timerAt?: number;
  readonly renders?: string;
  readonly secret?: string;
}

type Message = proto.IMessage;
type Context = proto.IContextInfo | null | undefined;
type FileMessage = proto.Message.IImageMessage &
  proto.Message.IVideoMessage &
  proto.Message.IAudioMessage &
  proto.Message.IDocumentMessage &
  Pick<proto.Message.IStickerMessage, 'isAnimated'>;

export const readContent = (library: Library, message: Message, bytes: Uint8Array | null = null): Written | null =>
  readUnwrapped(library, unwrap(library, message, bytes));

/** Returns null for messages without content of their own, such as keys and changes to other messages. */
export function readUnwrapped(library: Library, opened: Unwrapped): Written | null {
  if (opened.isPart || opened.isSilent) return null;
  try {
    return read(library, opened);
  } catch {
    return kindWritten(unsupported(library, opened.plain, opened.bytes));
  }
}

function read(library: Library, { plain, bytes, isViewOnce }: Unwrapped): Written | null {
  if (isViewOnce) return kindWritten(viewOnce(mediaOf(plain)));
  const { imageMessage, videoMessage, ptvMessage, audioMessage } = plain;
  if ([imageMessage, videoMessage, ptvMessage, audioMessage].some((file) => file?.viewOnce)) return kindWritten(viewOnce(mediaOf(plain)));
  const { conversation, extendedTextMessage: extended } = plain;
  // A message without text is also a text message if it has context, because it may come from an ad.
  const text = conversation ?? extended?.text ?? (extended?.contextInfo ? '' : undefined);
  const found =
    typeof text === 'string'
      ? readText(text, extended?.contextInfo)
      : (readPlace(plain) ?? readPeople(plain) ?? readPoll(library, plain, bytes) ?? readFile(plain));
  return found ? withAssociation(found, plain) : kindWritten(readKind(library, plain, bytes) ?? unsupported(library, plain, bytes));
}

function readText(body: string, context: Context): Written {
  const product = context?.quotedMessage?.productMessage;
  const extras: ContentExtras = product ? { kind: 'product_question', content: boundedFields(productFields(product)) } : {};
  return written({ type: 'text', body }, context, extras);
}

function kindWritten(found: ReadKind | null): Written | null {
  if (!found) return null;
  const { kind, body, content, context, answers } = found;
  const made = written({ type: 'text', body: cut(body, MAX_BODY) }, context, { kind, content: boundedFields(content) });
  return answers && made.quotes === null ? { ...made, quotes: answers } : made;
}

const MAX_BODY = 65_536;

function readPlace({ locationMessage, liveLocationMessage }: Message): Written | null {
  const place = locationMessage ?? liveLocationMessage;
  if (!place) return null;
  const { degreesLatitude, degreesLongitude, contextInfo } = place;
  const facts = {
    name: short(locationMessage?.name),
    address: short(locationMessage?.address),
    url: short(locationMessage?.url),
  };
  const isNamed = Object.values(facts).some((fact) => fact !== null);
  const content = { type: 'location', lat: within(90, degreesLatitude), lng: within(180, degreesLongitude) } as const;
  return written(content, contextInfo, isNamed ? { place: facts } : {});
}

const MAX_SHORT = 2_048;
const short = (text: string | null | undefined): string | null => (text ? cut(text, MAX_SHORT) : null);

function readPeople({ contactMessage, contactsArrayMessage }: Message): Written | null {
  if (!contactMessage && !contactsArrayMessage) return null;
  const cards = cardsOf(contactMessage ? [contactMessage] : (contactsArrayMessage?.contacts ?? []));
  const [first] = cards;
  const content = { type: 'contact', name: first?.name ?? '', phone: first?.phone ?? '' } as const;
  const contacts: readonly ContactCard[] = cards.map(({ name, phones }) => ({ name, phones }));
  const context = (contactMessage ?? contactsArrayMessage)?.contextInfo;
  return written(content, context, contacts.length > 0 ? { contacts } : {});
}

/** Finds the poll. The network has used several field names for it. */
const pollOf = ({ proto: { Message: M } }: Library, message: Message, bytes: Uint8Array | null) => {
  const named =
    message.pollCreationMessage ?? message.pollCreationMessageV2 ?? message.pollCreationMessageV3 ?? message.pollCreationMessageV5;
  const newest = named ? null : bytes && fieldIn(bytes, 119);
  return named ?? (newest ? M.PollCreationMessage.decode(newest) : null);
};

const MAX_CHOICES = 100;

function readPoll(library: Library, message: Message, bytes: Uint8Array | null): Written | null {
  const poll = pollOf(library, message, bytes);
  if (!poll) return null;
  const choices = (poll.options ?? []).slice(0, MAX_CHOICES).map(({ optionName }) => optionName ?? '');
  return written({ type: 'poll', name: poll.name ?? '', choices }, poll.contextInfo);
}

const FILES = [
  ['imageMessage', 'image'],
  ['videoMessage', 'video'],
  ['ptvMessage', 'video'],
  ['audioMessage', 'audio'],
  ['documentMessage', 'document'],
  ['stickerMessage', 'sticker'],
] as const;

const mediaOf = (message: Message): string | null => FILES.find(([name]) => message[name])?.[1] ?? null;

function readFile(message: Message): Written | null {
  for (const [name, type] of FILES) {
    const file: FileMessage | null | undefined = message[name];
    if (file) return fileOf(type, file, name === 'ptvMessage');
  }
  return null;
}

function fileOf(type: FileContent['type'], file: FileMessage, isRound: boolean): Written {
  const content: FileContent = {
    type,
    file: {
      contentType: file.mimetype || 'application/octet-stream',
      filename: file.fileName || null,
      size: within(Number.MAX_SAFE_INTEGER, file.fileLength),
      sha256: Buffer.from(file.fileSha256 ?? []).toString('hex'),
    },
    caption: file.caption || null,
    voiceNote: file.ptt === true,
    ...(file.gifPlayback && { gif: true }),
    ...(isRound && { round: true }),
    ...(file.isAnimated && { animated: true }),
  };
  const key = Buffer.from(file.mediaKey ?? []).toString('base64');
  const { sha256 } = content.file;
  return { ...written(content, file.contextInfo), file: { type, key, url: file.url ?? null, path: file.directPath ?? null, sha256 } };
}

/** Associations of a second rendering: a picture or video in HD, or a picture's moving part. */
const RENDERINGS: ReadonlySet<number> = new Set([5, 10, 12, 19]);
const MEDIA_ALBUM = 1;

function withAssociation(found: Written, { messageContextInfo }: Message): Written {
  const { associationType, parentMessageKey } = messageContextInfo?.messageAssociation ?? {};
  const parent = idIn(parentMessageKey?.id);
  if (!parent) return found;
  const type = Number(associationType ?? 0);
  if (type === MEDIA_ALBUM) return { ...found, extras: { ...found.extras, album: { net_id: parent } } };
  return RENDERINGS.has(type) ? { ...found, renders: parent } : found;
}

const MAX_MENTIONS = 1_024;
/** The latest valid time in seconds. Our ids cannot represent later times. */
export const LAST_MOMENT = 2 ** 38;

function written(content: Content, context: Context, extras: ContentExtras = {}): Written {
  const all = { ...extras, ...besideOf(context) };
  const timerAt = within(LAST_MOMENT, context?.ephemeralSettingTimestamp) * 1_000;
  const mentions = (context?.mentionedJid ?? []).filter((jid) => ADDRESS.test(jid)).slice(0, MAX_MENTIONS);
  const quotes = idIn(context?.stanzaId);
  const quotesFrom = idIn(context?.participant);
  return {
    content,
    quotes: quotes || null,
    ...(quotes && quotesFrom && { quotesFrom }),
    ...(mentions.length > 0 && { mentions }),
    ...(timerAt > 0 && { timerAt }),
    ...(Object.keys(all).length > 0 && { extras: all }),
  };
}

const ADDRESS = /^\d{1,20}@(s\.whatsapp\.net|lid)$/;

function besideOf(context: Context): ContentExtras {
  if (!context) return {};
  const { externalAdReply: ad, isForwarded, forwardingScore, expiration } = context;
  const isAd = ad && [ad.title, ad.body, ad.sourceUrl, ad.sourceId, ad.ctwaClid].some(Boolean);
  const timer = lifetimeOf(Number(expiration ?? 0));
  return {
    ...(isAd && {
      ad: {
        ...{ title: short(ad.title), body: short(ad.body), source_url: short(ad.sourceUrl), source_id: short(ad.sourceId) },
        ctwa: short(ad.ctwaClid),
      },
    }),
    ...((isForwarded || Number(forwardingScore ?? 0) > 0) && { forwarded: true as const }),
    ...(timer !== null && { ephemeral: timer }),
  };
}
