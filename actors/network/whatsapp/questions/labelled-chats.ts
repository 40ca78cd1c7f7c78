import { isLid, phoneOf } from '../../jid.ts';
import type { LabelledChat } from '../../labels.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { chatsIn, type LabelBook } from './label-book.ts';

export type Chats = (jid: string) => LabelledChat;

export async function chatsOf(context: Pick<ConnectionContext, 'socket'>, ...books: readonly LabelBook[]): Promise<Chats> {
  const numbers = await numbersOf(context, [...new Set(books.flatMap(chatsIn))]);
  return (jid) => {
    const chat_id = numbers.get(jid) ?? jid;
    return { chat_id, phone: phoneOf(chat_id), lid: isLid(jid) ? jid : null };
  };
}

export async function numbersOf(
  { socket }: Pick<ConnectionContext, 'socket'>,
  jids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const hidden = jids.filter(isLid);
  const pairs = hidden.length === 0 ? [] : ((await socket.signalRepository.lidMapping.getPNsForLIDs(hidden)) ?? []);
  return new Map(pairs.map(({ lid, pn }) => [bareJid(lid), bareJid(pn)]));
}

export const IS_CHAT = /^[\w.:-]{1,60}@(s\.whatsapp\.net|lid|g\.us)$/;

export const bareJid = (jid: string): string => jid.replace(/:\d+(?=@)/, '');
