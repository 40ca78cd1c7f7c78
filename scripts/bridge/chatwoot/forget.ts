import { GatewayError } from '../../client/client.ts';
import type { Bridge } from './context.ts';

/**
 * Removes people from the state file whose chat no longer exists in the gateway, because they were erased
 * there. An erasure event does not name the person, and a key for one device does not receive it. The
 * bridge therefore compares its people with the gateway's chats at that event and once an hour. It keeps
 * people to whom a reply is being sent: their chat may not exist yet.
 */
export async function forget(bridge: Bridge): Promise<void> {
  const { state, gateway, settings } = bridge;
  const known = state.chats();
  const live = new Set<string>();
  for await (const { chat_id } of gateway.pages('listChats', { params: { sessionId: settings.session }, query: { limit: 200 } }))
    live.add(chat_id);
  for (const chat of known) {
    const address = state.person(chat)?.answersTo ?? chat;
    // The list changes while it is read, so a missing chat is checked again.
    if (!live.has(chat) && !live.has(address) && (await isErased(bridge, chat, address))) state.transaction(() => state.forget(chat));
  }
}

/** Whether the chat does not exist, and no reply was sent or is being sent since that was asked. */
async function isErased({ state, gateway, settings }: Bridge, chat: string, chatId: string): Promise<boolean> {
  const lastReply = state.lastReply(chat);
  try {
    await gateway.call('getChat', { params: { sessionId: settings.session, chatId } });
    return false;
  } catch (cause) {
    if (!(cause instanceof GatewayError) || cause.status !== 404) throw cause;
    return state.lastReply(chat) === lastReply && !state.isReplying(chat);
  }
}
