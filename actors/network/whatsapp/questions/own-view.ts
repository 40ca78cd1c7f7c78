import type { ChatCleared, MessageChange, PhoneChange } from '../../phone-changes.ts';
import type { proto } from '../library.ts';
import { bareJid, IS_CHAT, numbersOf } from './labelled-chats.ts';
import type { ReadSetting, SettingsPage } from './read-settings.ts';
import type { SettingsContext, Untold } from './shared-settings.ts';

/**
 * Reports stars, deletions for oneself and cleared chats. The phone shares them with its linked
 * devices (`regular_high`). They are not stored here, but reported as each page is read.
 */

const MOST_AT_ONCE = 500;
/** Maximum number of changes to take from a page. The last ones are taken, because they are the newest. */
const MOST_OF_PAGE = 5_000;
const IS_ID = /^[\w.:-]{1,128}$/;

export async function ownViewEvents(context: SettingsContext, { mutations }: SettingsPage): Promise<readonly Untold[]> {
  const now = context.clock.now();
  return phoneChangeEvents(context, mutations.flatMap((setting) => changeIn(setting, now) ?? []).slice(-MOST_OF_PAGE));
}

export async function phoneChangeEvents(context: SettingsContext, read: readonly PhoneChange[]): Promise<readonly Untold[]> {
  const numbers = await numbersOf(context, [...new Set(read.map(({ chat }) => chat))]);
  const changes = read.map((change): PhoneChange => {
    const number = numbers.get(change.chat);
    return number === undefined ? change : { ...change, chatAlt: number };
  });
  const events: Untold[] = [];
  for (let from = 0; from < changes.length; from += MOST_AT_ONCE)
    events.push({ type: 'phoneChanges', changes: changes.slice(from, from + MOST_AT_ONCE) });
  return events;
}

function changeIn({ index, value }: ReadSetting, now: number): PhoneChange | null {
  if (!Array.isArray(index) || !value) return null;
  const [kind = '', jid = '', ...rest] = index.map(String);
  if (!IS_CHAT.test(jid)) return null;
  // Limit the time to the present, because the phone's clock may be ahead.
  const of = { chat: bareJid(jid), at: Math.min(Number(value.timestamp ?? now) || now, now) };
  switch (kind) {
    case 'star':
      return value.starAction ? messageChange(of, value.starAction.starred === true ? 'starred' : 'unstarred', rest) : null;
    case 'deleteMessageForMe':
      return value.deleteMessageForMeAction ? messageChange(of, 'removed', rest) : null;
    case 'clearChat':
      return value.clearChatAction ? cleared(of, value.clearChatAction.messageRange) : null;
    case 'deleteChat':
      return value.deleteChatAction ? cleared(of, value.deleteChatAction.messageRange) : null;
    default:
      return null;
  }
}

type OfChat = Pick<ChatCleared, 'chat' | 'at'>;

function messageChange(of: OfChat, kind: MessageChange['kind'], rest: readonly string[]): MessageChange | null {
  const [netId = '', isOurs = '', participant = ''] = rest;
  if (!IS_ID.test(netId)) return null;
  if (isOurs === '1') return { ...of, kind, netId, from: null };
  const from = of.chat.endsWith('@g.us') ? bareJid(participant) : of.chat;
  return IS_CHAT.test(from) ? { ...of, kind, netId, from } : null;
}

/** Reads a cleared chat. The phone states the time of the last message that it removed, in whole seconds. */
function cleared(of: OfChat, range: proto.SyncActionValue.ISyncActionMessageRange | null | undefined): ChatCleared {
  const last = Number(range?.lastMessageTimestamp ?? 0);
  return { ...of, kind: 'cleared', until: last > 0 ? Math.min(last * 1_000 + 999, of.at) : of.at };
}
