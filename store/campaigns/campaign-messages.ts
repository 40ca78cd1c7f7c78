import type { StoredStatus } from '../messaging/message-row.ts';
import { type MessageRow, messagesSpec } from '../messaging/messages.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, Store } from '../port.ts';

export interface CampaignMessages {
  accept(rows: readonly MessageRow[]): Promise<number>;
  /** Removes messages that no device has claimed, as if they had never been accepted. Returns them. */
  withdraw(ids: readonly string[]): Promise<MessageRow[]>;
  find(ids: readonly string[]): Promise<MessageRow[]>;
  /** Returns messages sent to one of these chats since `since` (epoch ms). */
  sentTo(sessionId: string, chatIds: readonly string[], since: number): Promise<readonly SentMessage[]>;
  /** Whether any message to these chats since `since` (epoch ms) was sent or waits; not failed ones. */
  isWrittenSince(sessionIds: readonly string[], chatIds: readonly string[], since: number): Promise<boolean>;
}

export type SentMessage = Pick<MessageRow, '_id' | 'chat_id' | 'sent_at'>;

/** Statuses of messages that reached the person or may still do so. */
const WRITTEN: readonly StoredStatus[] = ['queued', 'sending', 'sent', 'delivered', 'read'];

export function campaignMessagesIn(store: Store): CampaignMessages {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);

  return {
    accept: (rows) => insertedOf(messages, rows),

    async withdraw(ids) {
      const gone = await Promise.all(ids.map((_id) => messages.findOneAndDelete({ _id, status: 'queued' })));
      return gone.filter((row) => row !== null);
    },

    find: (ids) => messages.find({ _id: { $in: ids } }).toArray(),

    async sentTo(session_id, chatIds, since) {
      const rows = messages.find(
        // The lower bound selects the index.
        { session_id, chat_id: { $in: chatIds }, created_at: { $gte: since }, blast_id: { $gte: '' } },
        { projection: { _id: 1, chat_id: 1, sent_at: 1 } },
      );
      return (await rows.toArray()).filter(({ sent_at }) => sent_at !== null);
    },

    async isWrittenSince(sessionIds, chatIds, since) {
      const place = { session_id: { $in: sessionIds }, chat_id: { $in: chatIds }, created_at: { $gte: since } };
      const written = { ...place, direction: 'outbound', status: { $in: WRITTEN } };
      return (await messages.findOne(written, { projection: { _id: 1 } })) !== null;
    },
  };
}
