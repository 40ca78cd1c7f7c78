import { type ChatRow, type Chats, chatKey } from '../../store/chats.ts';
import type { MessageRow, Messages, Owner } from '../../store/messages.ts';
import { isLid } from '../network/jid.ts';
import type { People } from '../people/people.ts';
import { later, newChat, newest } from './follow-chats.ts';

export interface ElsewherePorts {
  readonly chats: Chats;
  readonly messages: Pick<Messages, 'known' | 'unread'>;
  readonly people: Pick<People, 'settle'>;
}

/** What the number's owner has read on their phone is read in the inbox, and with it all that came before; what is not known here changes nothing. */
export function readElsewhere({ chats, messages, people }: ElsewherePorts, now: () => number) {
  async function readUpTo(last: MessageRow): Promise<void> {
    const { tenant_id, session_id, chat_id } = last;
    // Its message came a moment ago: what follows from that is perhaps still to come.
    await chats.open(newChat(last, now()));
    await chats.change(tenant_id, session_id, chat_id, async (chat: ChatRow) => {
      const read_up_to = later(last._id, chat.read_up_to);
      return read_up_to === chat.read_up_to ? null : { read_up_to, unread_count: await messages.unread(session_id, chat_id, read_up_to) };
    });
    // Whose number became known meanwhile has a chat under the hidden address again.
    if (isLid(chat_id)) await people.settle(tenant_id, session_id, [chat_id]);
  }

  return async ({ sessionId }: Owner, netIds: readonly string[]): Promise<void> => {
    const rows = await Promise.all(netIds.map((netId) => messages.known(sessionId, netId)));
    const heard = rows.filter((row) => row?.direction === 'inbound' && row.message_type !== 'reaction').map((row) => row!);
    const byChat = Map.groupBy(heard, ({ chat_id }) => chatKey(sessionId, chat_id));
    for (const ofChat of byChat.values()) await readUpTo(newest(ofChat)!);
  };
}
