import { type MessageRow, messagesSpec } from '../messaging/messages.ts';
import type { Collection, Store } from '../port.ts';
import { type ChatRow, chatKey, chatsSpec } from './chats.ts';

/**
 * Reply windows of official numbers. The chat stores when its window ends, but only shortly after
 * the message that opened it.
 */
export interface Windows {
  end(sessionId: string, chatId: string, now: number): Promise<number | null>;
  /** Closes a window that messages up to `at` opened. Called when the platform reports it as closed. */
  close(sessionId: string, chatId: string, at: number): Promise<void>;
}

type Windowed = Pick<MessageRow, 'window_until'>;

const WINDOW_MS = 24 * 3_600_000;
/** The day for which a window is open, plus a margin for differences between clocks. */
const LOOK_BACK_MS = 26 * 3_600_000;

export function windowOf(seen: readonly Windowed[]): Windowed {
  const window_until = Math.max(...seen.map(({ window_until: until = 0 }) => until));
  return window_until === 0 ? {} : { window_until };
}

export function windowsIn(store: Store): Windows {
  const chats: Collection<ChatRow> = store.collection<ChatRow>(chatsSpec);
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);

  return {
    async end(session_id, chat_id, now) {
      const known = (await chats.findOne({ _id: chatKey(session_id, chat_id) }))?.window_until ?? null;
      if (known !== null && known > now) return known;
      const since = { session_id, chat_id, created_at: { $gte: now - LOOK_BACK_MS } };
      const opening = await messages.findOne({ ...since, window_until: { $gt: now } });
      return opening?.window_until ?? known;
    },

    async close(session_id, chat_id, at) {
      const isOpen = { window_until: { $gt: at, $lte: at + WINDOW_MS } };
      const corrected = { $set: { window_until: at } };
      await messages.updateMany({ session_id, chat_id, created_at: { $gte: at - LOOK_BACK_MS }, ...isOpen }, corrected);
      await chats.updateOne({ _id: chatKey(session_id, chat_id), ...isOpen }, corrected);
    },
  };
}
