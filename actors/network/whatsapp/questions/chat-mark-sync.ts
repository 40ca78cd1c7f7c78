import { type ChatMark, type ChatMarkName, type MarkedChat, MUTED_FOR_EVER, type SetChatMarks } from '../../chat-marks.ts';
import type { KeptEvent } from '../../port.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import type { proto } from '../library.ts';
import type { ChatMarks } from './chat-marks-of.ts';
import { bareJid, IS_CHAT, numbersOf } from './labelled-chats.ts';
import { ownViewEvents } from './own-view.ts';
import type { Collection } from './push-patch.ts';
import type { ReadSetting } from './read-settings.ts';
import { keepSaltOf } from './salt-sync.ts';
import { type KeptBook, type SettingMutation, type SettingsContext, SharedSettings, type Untold } from './shared-settings.ts';

export type MarkBook = Readonly<Record<string, readonly [value: ChatMark['value'], at: number]>>;

const PLACES: Readonly<Record<ChatMarkName, { readonly collection: Collection; readonly apiVersion: number; readonly index: string }>> = {
  archived: { collection: 'regular_low', apiVersion: 3, index: 'archive' },
  pinned: { collection: 'regular_low', apiVersion: 5, index: 'pin_v1' },
  unread: { collection: 'regular_low', apiVersion: 3, index: 'markChatAsRead' },
  muted_until: { collection: 'regular_high', apiVersion: 2, index: 'mute' },
};

const NAMES: ReadonlyMap<string, ChatMarkName> = new Map([
  ['archive', 'archived'],
  ['pin_v1', 'pinned'],
  ['markChatAsRead', 'unread'],
  ['mute', 'muted_until'],
]);

const BOOK: SecretKind<KeptBook<MarkBook>> = 'chat-marks';
const TOLD: SecretKind<KeptEvent> = 'chat-mark-events';
const MOST_AT_ONCE = 500;

/** Limits times to the present, so that marks of a phone whose clock is ahead do not win forever. */
export class ChatMarkSync implements ChatMarks {
  readonly #low: SharedSettings<MarkBook>;
  readonly #high: SharedSettings<MarkBook>;

  constructor(context: SettingsContext) {
    const reading = {
      kept: BOOK,
      empty: {},
      isReadAtLogin: false,
      after: (book: MarkBook, setting: ReadSetting) => afterSetting(book, setting, context.clock.now()),
      events: (before: MarkBook, after: MarkBook) => eventsBetween(context, before, after),
    };
    this.#low = new SharedSettings(context, { ...reading, collection: 'regular_low', told: TOLD, token: 'chats-low' });
    this.#high = new SharedSettings(context, {
      ...reading,
      collection: 'regular_high',
      told: `${TOLD}-high`,
      token: 'chats-high',
      events: async (before, after, _isFirst, page) => [
        ...(await eventsBetween(context, before, after)),
        ...(await ownViewEvents(context, page)),
      ],
      // This collection also contains the salt for our proofs to strangers (`cstoken`).
      onPage: ({ sealed }) => keepSaltOf(context, sealed),
    });
  }

  async set(jid: string, { name, value, at }: ChatMark, last: SetChatMarks['last']): Promise<ChatMark> {
    const { index, collection, apiVersion } = PLACES[name];
    const key = `${index} ${jid}`;
    const settings = collection === 'regular_low' ? this.#low : this.#high;
    const book = await settings.change((now): SettingMutation | null => {
      if ((now[key]?.[1] ?? -1) >= at) return null;
      return { index: [index, jid], apiVersion, value: { timestamp: at, ...actionOf(name, value, jid, last) } };
    });
    const [is, since] = book[key] ?? [value, at];
    return { name, value: is, at: since };
  }
}

function actionOf(name: ChatMarkName, value: ChatMark['value'], jid: string, last: SetChatMarks['last']): proto.ISyncActionValue {
  const range = last ? { messageRange: rangeOf(jid, last) } : {};
  switch (name) {
    case 'archived':
      return { archiveChatAction: { archived: value === true, ...range } };
    case 'pinned':
      return { pinAction: { pinned: value === true } };
    case 'unread':
      return { markChatAsReadAction: { read: value !== true, ...range } };
    default: {
      const until = typeof value === 'number' ? value : null;
      if (until === null) return { muteAction: { muted: false } };
      return { muteAction: { muted: true, muteEndTimestamp: until >= MUTED_FOR_EVER ? -1 : until } };
    }
  }
}

/** Describes the chat's last message. Without it, phones reject some changes. */
function rangeOf(
  remoteJid: string,
  { netId: id, from, at }: NonNullable<SetChatMarks['last']>,
): proto.SyncActionValue.ISyncActionMessageRange {
  const timestamp = Math.floor(at / 1_000);
  const participant = from !== null && remoteJid.endsWith('@g.us') ? { participant: from } : {};
  return { lastMessageTimestamp: timestamp, messages: [{ key: { remoteJid, fromMe: from === null, id, ...participant }, timestamp }] };
}

function afterSetting(book: MarkBook, { index, value }: ReadSetting, now: number): MarkBook {
  if (!Array.isArray(index) || !value) return book;
  const [kind, jid] = index.map(String);
  const name = NAMES.get(kind ?? '');
  if (!name || !jid || !IS_CHAT.test(jid)) return book;
  const mark = markIn(name, value);
  if (mark === undefined) return book;
  return { ...book, [`${kind} ${bareJid(jid)}`]: [mark, Math.min(Number(value.timestamp ?? now) || now, now)] };
}

function markIn(name: ChatMarkName, said: proto.ISyncActionValue): ChatMark['value'] | undefined {
  switch (name) {
    case 'archived':
      return said.archiveChatAction ? said.archiveChatAction.archived === true : undefined;
    case 'pinned':
      return said.pinAction ? said.pinAction.pinned === true : undefined;
    case 'unread':
      return said.markChatAsReadAction ? said.markChatAsReadAction.read !== true : undefined;
    default: {
      const mute = said.muteAction;
      if (!mute) return undefined;
      if (mute.muted !== true) return null;
      const until = Number(mute.muteEndTimestamp ?? -1);
      return until < 0 || until > MUTED_FOR_EVER ? MUTED_FOR_EVER : until;
    }
  }
}

async function eventsBetween(context: SettingsContext, before: MarkBook, after: MarkBook): Promise<readonly Untold[]> {
  const changed = Object.entries(after).filter(([key, mark]) => before[key] === undefined || String(before[key]) !== String(mark));
  if (changed.length === 0) return [];
  const told = changed.map(([key, [value, at]]) => {
    const [kind = '', jid = ''] = key.split(' ');
    return { jid, name: NAMES.get(kind) ?? ('archived' as const), value, at };
  });
  const numbers = await numbersOf(context, [...new Set(told.map(({ jid }) => jid))]);
  const marks = told.map(({ jid, ...mark }): MarkedChat => {
    const number = numbers.get(jid);
    return { chat: jid, ...(number !== undefined && { chatAlt: number }), ...mark };
  });
  const events: Untold[] = [];
  for (let from = 0; from < marks.length; from += MOST_AT_ONCE)
    events.push({ type: 'chatMarks', marks: marks.slice(from, from + MOST_AT_ONCE) });
  return events;
}
