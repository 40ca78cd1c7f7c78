import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createInflate } from 'node:zlib';
import { type HistoryWanted, wantedSince } from '../../history.ts';
import type { HistoryMessage } from '../../port.ts';
import type { Library, proto, WAMessage } from '../library.ts';
import type { Token } from '../outbound/tokens.ts';
import { eventsOf, type Reader } from './events.ts';

const CHATS = 2;
const MESSAGES = 2;
/** Field number of the salt for our proofs to strangers. The library does not define this field. */
const SALT = 19;
/** Parts are normally a few MB in size. Parts larger than this are skipped. */
const MAX_BYTES = 64 * 1024 * 1024;

export async function unpacked(packed: Readable): Promise<Buffer | null> {
  const inflating = packed.pipe(createInflate());
  packed.on('error', (cause) => inflating.destroy(cause));
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of inflating) {
    const piece: Buffer = chunk;
    bytes += piece.length;
    if (bytes > MAX_BYTES) return null;
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}

export const packedIn = (bytes: Uint8Array): Readable => Readable.from([Buffer.from(bytes)]);

export interface HistoryFacts {
  readonly pairs: readonly { readonly lid: string; readonly pn: string }[];
  readonly tokens: ReadonlyMap<string, Token>;
  readonly salt: Uint8Array | null;
  readonly isMigrated: boolean;
}

const TURN_BYTES = 256 * 1024;

export async function factsOf({ proto, isLidUser, isPnUser, jidNormalizedUser }: Library, history: Buffer): Promise<HistoryFacts> {
  const pairs: { lid: string; pn: string }[] = [];
  const tokens = new Map<string, Token>();
  const pair = (...jids: readonly (string | null | undefined)[]): void => {
    const [lid, pn] = [jids.find((jid) => isLidUser(jid ?? '')), jids.find((jid) => isPnUser(jid ?? ''))];
    if (lid && pn) pairs.push({ lid, pn });
  };
  let bytes = 0;
  for (const part of chatsOf(history)) {
    bytes += part.length;
    if (bytes >= TURN_BYTES) {
      bytes = 0;
      await nextTurn();
    }
    const chat = proto.Conversation.decode(without(MESSAGES, part));
    pair(chat.id, chat.lidJid, chat.pnJid);
    const at = Number(chat.tcTokenTimestamp ?? 0);
    if (!chat.tcToken?.length || at <= 0 || !(isLidUser(chat.id) || isPnUser(chat.id))) continue;
    const sent = Number(chat.tcTokenSenderTimestamp ?? 0);
    const token = { token: Buffer.from(chat.tcToken), timestamp: String(at), ...(sent > 0 && { senderTimestamp: sent }) };
    tokens.set(jidNormalizedUser(chat.id), token);
  }
  const { phoneNumberToLidMappings, globalSettings } = proto.HistorySync.decode(without(CHATS, history));
  for (const { pnJid, lidJid } of phoneNumberToLidMappings ?? []) pair(lidJid, pnJid);
  const isMigrated = Number(globalSettings?.chatDbLidMigrationTimestamp ?? 0) > 0;
  const salt = bytesField(history, SALT);
  return { pairs, tokens, salt: salt && Buffer.from(salt), isMigrated };
}

/** Yields messages oldest first. Only one chat is decoded at a time. */
export async function* messagesOf(
  reader: Reader,
  history: Buffer,
  wanted: HistoryWanted,
  now: number,
): AsyncGenerator<readonly HistoryMessage[]> {
  if (wanted.most === 0) return;
  const since = wantedSince(wanted, now);
  for (const part of chatsOf(history)) {
    const chat = reader.library.proto.Conversation.decode(part);
    if (!isConversation(reader.library, chat.id)) continue;
    yield (await readChat(reader, chat, { part, most: wanted.most })).filter(({ at }) => at >= since);
  }
}

export async function olderOf(
  reader: Reader,
  history: Buffer,
  most: number,
): Promise<{ readonly messages: readonly HistoryMessage[]; readonly more: boolean | null }> {
  const { proto } = reader.library;
  const [part] = chatsOf(history);
  const chat = part && proto.Conversation.decode(part);
  if (!chat || !isConversation(reader.library, chat.id)) return { messages: [], more: false };
  return { messages: await readChat(reader, chat, { part, most }), more: hasMore(proto.Conversation.EndOfHistoryTransferType, chat) };
}

function hasMore(types: typeof proto.Conversation.EndOfHistoryTransferType, chat: proto.Conversation): boolean | null {
  // Check for the field, because the library would return the first value of the enum if it is missing.
  if (!Object.hasOwn(chat, 'endOfHistoryTransferType')) return null;
  const { COMPLETE_BUT_MORE_MESSAGES_REMAIN_ON_PRIMARY: more, COMPLETE_ON_DEMAND_SYNC_BUT_MORE_MSG_REMAIN_ON_PRIMARY: moreOnDemand } =
    types;
  return [more, moreOnDemand].some((type) => type === chat.endOfHistoryTransferType);
}

const isConversation = ({ isJidGroup, isPnUser, isLidUser }: Library, jid: string): boolean =>
  [isJidGroup, isPnUser, isLidUser].some((is) => is(jid));

interface Wanted {
  readonly part: Buffer;
  readonly most: number;
}

async function readChat(reader: Reader, chat: proto.IConversation, { part, most }: Wanted): Promise<HistoryMessage[]> {
  const { pnJid, lidJid, messages } = chat;
  const id = chat.id ?? '';
  const written = (messages ?? []).flatMap(({ message, msgOrderId }, at) =>
    message?.message ? [{ message, nth: Number(msgOrderId ?? 0), at }] : [],
  );
  const inOrder = written.toSorted((a, b) => timeOf(b.message) - timeOf(a.message) || b.nth - a.nth);
  const newest = inOrder.slice(0, most).toReversed();
  // The raw bytes are needed only for messages other than texts, pictures, videos and audio.
  const isAnyNew = newest.some(({ message }) => !isKnown(message));
  const raw = isAnyNew ? Array.from(fieldsOf(part)).filter(({ field }) => field === MESSAGES) : [];
  const bytesOf = ({ message, at }: (typeof newest)[number]): Uint8Array | null => (isKnown(message) ? null : messageIn(raw[at]?.inside));
  const alt = [pnJid, lidJid].find((jid) => jid && jid !== id);
  const read = await Promise.all(newest.map((one) => eventsOf(reader, envelopeOf(one.message, id, alt ?? undefined), bytesOf(one))));
  return spaced(
    read.flatMap((event) =>
      event?.type === 'received' || event?.type === 'wrote' ? [{ ...event.message, isOurs: event.type === 'wrote' }] : [],
    ),
  );
}

const isKnown = ({ message }: proto.IWebMessageInfo): boolean =>
  [message?.conversation, message?.extendedTextMessage, message?.imageMessage, message?.videoMessage, message?.audioMessage].some(
    (content) => content != null,
  );

/** Returns the message before decoding, to read fields that the library does not define. */
const messageIn = (inside: Buffer | undefined): Uint8Array | null => (inside ? bytesField(inside, WEB_MESSAGE, CONTENT) : null);
const WEB_MESSAGE = 1;
const CONTENT = 2;

const SECOND = 1_000;

/** Spaces messages apart to keep their order, because phones report whole seconds. */
function spaced(oldestFirst: readonly HistoryMessage[]): HistoryMessage[] {
  let last = 0;
  return oldestFirst.map((message) => {
    const latest = message.at + SECOND - 1;
    last = Math.min(Math.max(message.at, last + 1), latest);
    return { ...message, at: last };
  });
}

const timeOf = (message: proto.IWebMessageInfo | null | undefined): number => Number(message?.messageTimestamp ?? 0);

function envelopeOf(message: proto.IWebMessageInfo, chat: string, alt: string | undefined): WAMessage {
  const participant = message.participant || message.key?.participant || undefined;
  return { ...message, key: { ...message.key, remoteJid: chat, ...(alt && { remoteJidAlt: alt }), ...(participant && { participant }) } };
}

function* chatsOf(bytes: Buffer): Generator<Buffer> {
  for (const { field, inside } of fieldsOf(bytes)) if (field === CHATS) yield inside;
}

export function bytesField(bytes: Buffer, ...path: readonly number[]): Buffer | null {
  let at: Buffer | undefined = bytes;
  for (const wanted of path) at = at && [...fieldsOf(at)].findLast(({ field }) => field === wanted)?.inside;
  return at && at.length > 0 ? at : null;
}

const without = (field: number, bytes: Buffer): Buffer =>
  Buffer.concat([...fieldsOf(bytes)].flatMap((one) => (one.field === field ? [] : [one.whole])));

interface Field {
  readonly field: number;
  readonly inside: Buffer;
  readonly whole: Buffer;
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error('the history is truncated');
      at += 1;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const start = at;
    const tag = number();
    const length = lengthOf(tag % 8, number);
    yield { field: Math.floor(tag / 8), inside: bytes.subarray(at, at + length), whole: bytes.subarray(start, at + length) };
    at += length;
  }
}

/** Returns a field's length. Reads a plain number itself, and then returns 0. */
function lengthOf(wireType: number, number: () => number): number {
  switch (wireType) {
    case 0:
      number();
      return 0;
    case 1:
      return 8;
    case 2:
      return number();
    case 5:
      return 4;
    default:
      throw new Error('not a history of this network');
  }
}
