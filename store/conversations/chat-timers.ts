import type { ChatTimer } from '../messaging/timed.ts';
import type { Collection, Store } from '../port.ts';
import type { ChatRow } from './chat-row.ts';
import { chatKey, chatsSpec } from './chats.ts';

export interface ChatTimers {
  on(tenantId: string, sessionId: string, limit: number): Promise<readonly (readonly [chatId: string, timer: ChatTimer])[]>;
  set(tenantId: string, sessionId: string, chatId: string, timer: ChatTimer): Promise<boolean>;
}

export const timerIn = ({ ephemeral = 0, ephemeral_at = 0 }: Pick<ChatRow, 'ephemeral' | 'ephemeral_at'>): ChatTimer => ({
  seconds: ephemeral,
  at: ephemeral_at,
});

export function chatTimersIn(store: Store): ChatTimers {
  const chats: Collection<ChatRow> = store.collection<ChatRow>(chatsSpec);
  return {
    async on(tenant_id, session_id, limit) {
      const found = await chats.find({ session_id, tenant_id, ephemeral: { $gt: 0 } }, { limit }).toArray();
      return found.map((row) => [row.chat_id, timerIn(row)] as const);
    },
    async set(tenant_id, sessionId, chatId, { seconds, at }) {
      const older = { $or: [{ ephemeral_at: null }, { ephemeral_at: { $lte: at } }] };
      const update = { $set: { ephemeral: seconds, ephemeral_at: at }, $inc: { rev: 1 } };
      return (await chats.updateOne({ _id: chatKey(sessionId, chatId), tenant_id, ...older }, update)).matchedCount === 1;
    },
  };
}
