import { GatewayError } from '../../client/client.ts';
import type { Bridge } from './context.ts';

/** An erasure event does not name the person, so all known people are compared with existing chats. */
export async function forget(bridge: Bridge): Promise<void> {
  const { state, gateway, settings } = bridge;
  const known = state.chats();
  const live = new Set<string>();
  for await (const { chat_id } of gateway.pages('listChats', { params: { sessionId: settings.session }, query: { limit: 200 } }))
    live.add(chat_id);
  for (const chat of known) {
    const address = state.person(chat)?.answersTo ?? chat;
    // The chat list may change while it is read, so a chat that is missing from it is checked
    // again.
    if (!live.has(chat) && !live.has(address) && (await isErased(bridge, chat, address))) state.transaction(() => state.forget(chat));
  }
}

async function isErased({ state, gateway, settings }: Bridge, chat: string, chatId: string): Promise<boolean> {
  const { session: sessionId } = settings;
  const messageId = state.lastReply(chat);
  if (!(await isMissing(gateway.call('getChat', { params: { sessionId, chatId } })))) return false;
  // The gateway creates the chat when it sends the reply, perhaps long after accepting it.
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
