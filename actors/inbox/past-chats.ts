import type { ChatRow, Chats } from '../../store/chats.ts';
import { chatKey } from '../../store/chats.ts';
import type { MessageRow, Messages } from '../../store/messages.ts';
import { heard, later, newChat, newest } from './follow-chats.ts';

/** Shows the chats of a history, everything in it read: where a chat is known already its newer messages stay as they are. */
export function pastChats(ports: { readonly chats: Chats; readonly messages: Messages }, now: () => number) {
  const { chats, messages } = ports;

  async function remember(rows: readonly MessageRow[]): Promise<void> {
    const { tenant_id, session_id, chat_id } = rows[0]!;
    const last = newest(rows)!._id;
    await chats.open(newChat(rows[0]!, now()));
    await chats.change(tenant_id, session_id, chat_id, async (chat: ChatRow) => {
      const read_up_to = later(last, chat.read_up_to);
      // The first message that comes from now on is the first of its chat: what was said before opens none, and needs nobody to answer.
      const { last_inbound_id: _, status: __, seeks_agent: ___, ...shown } = heard(chat, rows);
      const unread_count = await messages.unread(session_id, chat_id, read_up_to);
      return { ...shown, read_up_to, unread_count };
    });
  }

  return async (rows: readonly MessageRow[]): Promise<void> => {
    const byChat = Map.groupBy(rows, ({ session_id, chat_id }) => chatKey(session_id, chat_id));
    await Promise.all([...byChat.values()].map(remember));
  };
}
