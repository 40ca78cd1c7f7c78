import { groupsOf, type NonEmpty } from '../../../runtime/groups.ts';
import type { ChatRow, Chats } from '../../../store/conversations/chats.ts';
import { chatKey } from '../../../store/conversations/chats.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import { later, newChat, newest, received } from './outbox-handler.ts';

export function importChats(deps: { readonly chats: Chats; readonly messages: Messages }, now: () => number) {
  const { chats, messages } = deps;

  async function remember(rows: NonEmpty<MessageRow>): Promise<void> {
    const { tenant_id, session_id, chat_id } = rows[0];
    const last = newest(rows)._id;
    await chats.open(newChat(rows[0], now()));
    await chats.change(tenant_id, session_id, chat_id, async (chat: ChatRow) => {
      const read_up_to = later(last, chat.read_up_to);
      // Imported messages do not count as received, so the next live one counts as the chat's first.
      const { last_inbound_id: _, status: __, seeks_agent: ___, ...shown } = received(chat, rows);
      const unread_count = await messages.unread(session_id, chat_id, read_up_to);
      return { ...shown, read_up_to, unread_count };
    });
  }

  return async (rows: readonly MessageRow[]): Promise<void> => {
    const byChat = groupsOf(rows, ({ session_id, chat_id }) => chatKey(session_id, chat_id));
    await Promise.all([...byChat.values()].map(remember));
  };
}
