import { isLid, phoneOf } from '../../jid.ts';
import type { LabelledChat } from '../../labels.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { chatsIn, type LabelBook } from './label-book.ts';

/** Who is meant by the address of a labelled chat. */
export type Chats = (jid: string) => LabelledChat;

/** People by their number, where it is known for a hidden address. */
export async function chatsOf({ socket }: Pick<ConnectionContext, 'socket'>, ...books: readonly LabelBook[]): Promise<Chats> {
  const hidden = [...new Set(books.flatMap(chatsIn))].filter(isLid);
  const pairs = hidden.length === 0 ? [] : ((await socket.signalRepository.lidMapping.getPNsForLIDs(hidden)) ?? []);
  const numbers = new Map(pairs.map(({ lid, pn }) => [bare(lid), bare(pn)]));
  return (jid) => {
    const chat_id = numbers.get(jid) ?? jid;
    return { chat_id, phone: phoneOf(chat_id), lid: isLid(jid) ? jid : null };
  };
}

const bare = (jid: string): string => jid.replace(/:\d+(?=@)/, '');
