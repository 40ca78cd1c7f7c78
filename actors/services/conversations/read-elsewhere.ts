import { groupsOf } from '../../../runtime/groups.ts';
import { type ChatRow, type Chats, chatKey } from '../../../store/conversations/chats.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { later, newChat, newest } from './outbox-handler.ts';

export interface ElsewhereDeps {
  readonly chats: Chats;
  readonly messages: Pick<Messages, 'inChat' | 'unread'>;
  readonly people: Pick<IdentityResolver, 'resolve' | 'settle'>;
}

export function readElsewhere({ chats, messages, people }: ElsewhereDeps, now: () => number) {
  async function readUpTo(last: MessageRow): Promise<void> {
    const { tenant_id, session_id, chat_id } = last;
    // Create the chat if it is missing, because the message may have arrived only just now.
    await chats.open(newChat(last, now()));
    await chats.change(tenant_id, session_id, chat_id, async (chat: ChatRow) => {
      const read_up_to = later(last._id, chat.read_up_to);
      return read_up_to === chat.read_up_to ? null : { read_up_to, unread_count: await messages.unread(session_id, chat_id, read_up_to) };
    });
    // If the number became known meanwhile, the new chat may have the hidden address. Merge it.
    await people.settle(tenant_id, session_id, [chat_id]);
  }

  return async ({ tenantId, sessionId }: Owner, chat: string, netIds: readonly string[]): Promise<void> => {
    const chats = [chat, await people.resolve(tenantId, chat)];
    const rows = await messages.inChat(sessionId, netIds, chats);
    const received = rows.filter((row) => row.direction === 'inbound' && row.message_type !== 'reaction');
    const byChat = groupsOf(received, ({ chat_id }) => chatKey(sessionId, chat_id));
    for (const ofChat of byChat.values()) await readUpTo(newest(ofChat));
  };
}
