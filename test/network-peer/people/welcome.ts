import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import { sealFile } from '../media/files.ts';
import type { Account } from '../server/account.ts';
import { type Exchange, seconds } from '../server/exchange.ts';
import type { Linked } from '../server/linked.ts';
import { el, parseJid } from '../stanza.ts';
import type { Message } from './handset.ts';

const { Type } = proto.Message.ProtocolMessage;
const { HistorySyncType } = proto.HistorySync;
const EndType = proto.Conversation.EndOfHistoryTransferType;

/** Time since which migrated accounts use hidden addresses in chats, epoch seconds. */
const MOVED_AT = 1_770_000_000;

/** Sends a newly linked computer the settings keys and the chat history of its phone. */
export async function welcome(exchange: Exchange, linked: Linked): Promise<void> {
  const { history } = linked.account;
  const parts = [
    historyOf(exchange, linked, HistorySyncType.INITIAL_BOOTSTRAP, withTokens(linked.account, history, seconds(exchange))),
    historyOf(exchange, linked, HistorySyncType.RECENT, []),
  ];
  await shareKey(exchange, linked);
  for (const message of parts) await tellOwn(exchange, linked, message);
}

/** Sends the current key of the account's settings. */
export const shareKey = (exchange: Exchange, linked: Linked): Promise<void> => tellOwn(exchange, linked, keyShare(exchange, linked));

/** Sends a message from a phone to its own computer, which no chat shows. */
export async function tellOwn(exchange: Exchange, linked: Linked, message: Message): Promise<void> {
  const seal = await linked.account.phone.seal(linked, message);
  const attrs = { from: linked.account.jid, id: exchange.random.messageId(), type: 'text', category: 'peer', t: seconds(exchange) };
  linked.deliver(el('message', attrs, [seal]));
}

/**
 * Returns the phone's initial mapping of hidden addresses to numbers. `migratedAt`: time since which its chats use
 * them, epoch ms.
 */
export function mappingSync(people: readonly Account[], migratedAt: number | null = null): Message {
  const pnToLidMappings = people.map(({ digits, lid }) => ({ pn: Number(digits), assignedLid: Number(lid), latestLid: Number(lid) }));
  const payload = { pnToLidMappings, ...(migratedAt !== null && { chatDbMigrationTimestamp: Math.floor(migratedAt / 1_000) }) };
  const encodedMappingPayload = proto.LIDMigrationMappingSyncPayload.encode(payload).finish();
  return { protocolMessage: { type: Type.LID_MIGRATION_MAPPING_SYNC, lidMigrationMappingSyncMessage: { encodedMappingPayload } } };
}

/** Sends a later part of the phone's history, with chats that name people by both addresses. */
export const laterHistory = (exchange: Exchange, linked: Linked, conversations: readonly proto.IConversation[]): Promise<void> =>
  tellOwn(exchange, linked, historyOf(exchange, linked, HistorySyncType.RECENT, conversations));

/** Maximum number of older messages that a phone sends in one batch. */
const MOST_OLDER = 50;

/**
 * Sends older messages of a chat that a computer requested. Sends nothing if the phone does not know the chat under
 * this address.
 */
export async function tellOlder(
  exchange: Exchange,
  linked: Linked,
  request: string,
  { chatJid, oldestMsgTimestampMs, onDemandMsgCount }: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
): Promise<void> {
  const { account } = linked;
  const asked = exchange.directory.of(chatJid ?? '');
  const isOtherForm = asked !== null && account.isMigrated === true && parseJid(chatJid ?? '').domain !== 'lid';
  if (isOtherForm) return;
  const before = Number(oldestMsgTimestampMs ?? 0);
  const told = account.history.filter(({ id }) => id === chatJid || (asked !== null && exchange.directory.of(id ?? '') === asked));
  const newestFirst = told
    .flatMap(({ messages }) => messages ?? [])
    .filter(({ message }) => Number(message?.messageTimestamp ?? 0) < before)
    .toSorted((one, other) => Number(other.message?.messageTimestamp) - Number(one.message?.messageTimestamp));
  const messages = newestFirst.slice(0, Math.min(onDemandMsgCount ?? MOST_OLDER, MOST_OLDER));
  const { COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY: all, COMPLETE_ON_DEMAND_SYNC_BUT_MORE_MSG_REMAIN_ON_PRIMARY: more } = EndType;
  const chat = { id: chatJid ?? '', messages, endOfHistoryTransferType: messages.length < newestFirst.length ? more : all };
  await tellOwn(exchange, linked, historyOf(exchange, linked, HistorySyncType.ON_DEMAND, [chat], request));
}

function keyShare(exchange: Exchange, { account, device }: Linked): Message {
  const { id, data } = account.settings.key;
  const fingerprint = { rawId: 1, currentIndex: 0, deviceIndexes: [0, device] };
  const keys = [{ keyId: { keyId: id }, keyData: { keyData: data, fingerprint, timestamp: seconds(exchange) } }];
  return { protocolMessage: { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys } } };
}

/** Returns the phone's chats, and entries for people from whom it has only a token. */
function withTokens({ tokens }: Account, chats: readonly proto.IConversation[], at: number): readonly proto.IConversation[] {
  const given = [...tokens].map(([{ jid, lidJid }, tcToken]) => ({ jid, lidJid, token: { tcToken, tcTokenTimestamp: at } }));
  const named = chats.map((chat) => ({ ...chat, ...given.find(({ jid }) => jid === chat.id)?.token }));
  const others = given.filter(({ jid }) => !chats.some(({ id }) => id === jid));
  return [...named, ...others.map(({ jid, lidJid, token }) => ({ id: jid, lidJid, ...token }))];
}

function historyOf(
  { random, media }: Exchange,
  { account }: Linked,
  syncType: proto.HistorySync.HistorySyncType,
  conversations: readonly proto.IConversation[],
  request?: string,
): Message {
  const isMoved = account.isMigrated === true && account.tellsMigration;
  const globalSettings = isMoved ? { chatDbLidMigrationTimestamp: MOVED_AT } : null;
  const known = proto.HistorySync.encode({ syncType, progress: 100, pushnames: [], globalSettings, conversations: [...conversations] });
  // Field 19 is missing in the library's definition.
  const history =
    account.salt && account.isSaltInHistory
      ? known
          .uint32((19 << 3) | 2)
          .bytes(account.salt)
          .finish()
      : known.finish();
  const packed = deflateSync(history);
  const { sealed, keys } = sealFile('history', packed, random);
  const where = account.historyIsFile
    ? { ...keys, directPath: media.put(sealed).directPath }
    : { initialHistBootstrapInlinePayload: packed };
  const notice = { syncType, chunkOrder: 1, progress: 100, ...where, ...(request !== undefined && { peerDataRequestSessionId: request }) };
  return { protocolMessage: { type: Type.HISTORY_SYNC_NOTIFICATION, historySyncNotification: notice } };
}
