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

/** Whether neither the chat nor the last reply in it exists, and no reply was sent or is being sent since that was asked. */
async function isErased({ state, gateway, settings }: Bridge, chat: string, chatId: string): Promise<boolean> {
  const { session: sessionId } = settings;
  const messageId = state.lastReply(chat);
  if (!(await isMissing(gateway.call('getChat', { params: { sessionId, chatId } })))) return false;
  // The gateway makes the chat when it sends the reply, which may be later than it accepts it.
  if (messageId !== null && !(await isMissing(gateway.call('getMessage', { params: { sessionId, messageId } })))) return false;
  return state.lastReply(chat) === messageId && !state.isReplying(chat);
}

async function isMissing(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return false;
  } catch (cause) {
    if (cause instanceof GatewayError && cause.status === 404) return true;
    throw cause;
  }
}
