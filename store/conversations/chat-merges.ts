import { inChunks } from '../../runtime/in-chunks.ts';
import type { MessageRow } from '../messaging/message-row.ts';
import { messagesSpec } from '../messaging/messages.ts';
import type { Collection, Store } from '../port.ts';

export interface ChatMoves {
  firstUnread(sessionId: string, chatId: string, afterId: string): Promise<string | null>;
  devicesWith(sessionIds: readonly string[], chatId: string): Promise<readonly string[]>;
  /** Records a hidden address in the messages. Safe to repeat after a crash. */
  move(sessionId: string, from: string, to: string): Promise<void>;
}

const ASKED_TOGETHER = 500;

export function chatMovesIn(store: Store): ChatMoves {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);

  return {
    async firstUnread(session_id, chat_id, afterId) {
      const filter = { session_id, chat_id, direction: 'inbound', _id: { $gt: afterId }, message_type: { $ne: 'reaction' } };
      return (await messages.findOne(filter, { sort: { _id: 1 } }))?._id ?? null;
    },

    async devicesWith(sessionIds, chat_id) {
      const found: string[] = [];
      for (let asked of inChunks(sessionIds, ASKED_TOGETHER)) {
        for (;;) {
          const one = await messages.findOne({ session_id: { $in: asked }, chat_id }, { projection: { session_id: 1 } });
          if (!one) break;
          found.push(one.session_id);
          asked = asked.filter((id) => id !== one.session_id);
        }
      }
      return found;
    },

    async move(session_id, from, to) {
      const noted = from.endsWith('@lid') ? { sender_lid: from } : {};
      await messages.updateMany({ session_id, chat_id: from, sender: from }, { $set: { sender: to, ...noted } });
      await messages.updateMany({ session_id, chat_id: from }, { $set: { chat_id: to } });
    },
  };
}
