import type { Content, FileContent, FileReference } from '../../port.ts';
import type { Library, proto } from '../library.ts';

/** The content of a message, and the location of its file. */
export interface Written {
  readonly content: Content;
  readonly file?: FileReference;
  readonly quotes: string | null;
}

type Message = proto.IMessage;
type FileMessage = proto.Message.IImageMessage & proto.Message.IVideoMessage & proto.Message.IAudioMessage & proto.Message.IDocumentMessage;

/** Null: not written by a person, or of a kind that the port does not have. */
export function readContent(library: Library, message: Message): Written | null {
  const plain = library.normalizeMessageContent(message);
  if (!plain) return null;
  const text = plain.conversation ?? plain.extendedTextMessage?.text;
  if (typeof text === 'string') return written({ type: 'text', body: text }, plain.extendedTextMessage?.contextInfo);
  return readPlace(plain) ?? readPerson(plain) ?? readPoll(plain) ?? readFile(plain) ?? readChoice(plain);
}

/** A person tapped an option of a business: its text is their answer. */
function readChoice({ buttonsResponseMessage: button, listResponseMessage: row, templateButtonReplyMessage: reply, ...rest }: Message) {
  const said = button?.selectedDisplayText ?? row?.title ?? reply?.selectedDisplayText ?? rest.interactiveResponseMessage?.body?.text;
  const context = (button ?? row ?? reply ?? rest.interactiveResponseMessage)?.contextInfo;
  return said ? written({ type: 'text', body: said }, context) : null;
}

/** A number as the client of somebody else wrote it; 0: absent, none (NaN), or beyond what it can be. */
export function within(most: number, value: unknown): number {
  const number = Number(value ?? 0);
  return Math.abs(number) <= most ? number : 0;
}

function readPlace({ locationMessage, liveLocationMessage }: Message): Written | null {
  const place = locationMessage ?? liveLocationMessage;
  if (!place) return null;
  const { degreesLatitude, degreesLongitude, contextInfo } = place;
  return written({ type: 'location', lat: within(90, degreesLatitude), lng: within(180, degreesLongitude) }, contextInfo);
}

const WHATSAPP_ID = /waid=(\d+)/;
/** The parameters before a number are bounded: else it is quadratic in a card that repeats them without one. */
const ANY_NUMBER = /TEL[^:]{0,80}:([+\d][\d\s().-]{0,60})/i;

function readPerson({ contactMessage, contactsArrayMessage }: Message): Written | null {
  const person = contactMessage ?? contactsArrayMessage?.contacts?.[0];
  if (!person) return null;
  const card = person.vcard ?? '';
  const phone = WHATSAPP_ID.exec(card)?.[1] ?? ANY_NUMBER.exec(card)?.[1]?.replace(/\D/g, '') ?? '';
  return written({ type: 'contact', name: person.displayName ?? '', phone }, contactMessage?.contextInfo);
}

/** The poll of a message; networks have sent it under three names. */
const pollOf = (message: Message): proto.Message.IPollCreationMessage | null =>
  message.pollCreationMessage ?? message.pollCreationMessageV2 ?? message.pollCreationMessageV3 ?? null;

function readPoll(message: Message): Written | null {
  const poll = pollOf(message);
  if (!poll) return null;
  const choices = (poll.options ?? []).map(({ optionName }) => optionName ?? '');
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

function readFile(message: Message): Written | null {
  for (const [name, type] of FILES) {
    const file: FileMessage | null | undefined = message[name];
    if (file) return fileOf(type, file);
  }
  return null;
}

function fileOf(type: FileContent['type'], file: FileMessage): Written {
  const content: FileContent = {
    type,
    file: {
      contentType: file.mimetype ?? 'application/octet-stream',
      filename: file.fileName ?? null,
      size: within(Number.MAX_SAFE_INTEGER, file.fileLength),
      sha256: Buffer.from(file.fileSha256 ?? []).toString('hex'),
    },
    caption: file.caption || null,
    voiceNote: file.ptt === true,
  };
  const key = Buffer.from(file.mediaKey ?? []).toString('base64');
  return { ...written(content, file.contextInfo), file: { type, key, url: file.url ?? null, path: file.directPath ?? null } };
}

function written(content: Content, context: proto.IContextInfo | null | undefined): Written {
  return { content, quotes: context?.stanzaId || null };
}
