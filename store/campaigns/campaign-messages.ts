import type { StoredStatus } from '../messaging/message-row.ts';
import { type MessageRow, messagesSpec } from '../messaging/messages.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, Store } from '../port.ts';

export interface CampaignMessages {
  accept(rows: readonly MessageRow[]): Promise<number>;
  /** Removes messages that no device has claimed yet, as if they had never been accepted. */
  withdraw(ids: readonly string[]): Promise<MessageRow[]>;
  find(ids: readonly string[]): Promise<MessageRow[]>;
  sentTo(sessionId: string, chatIds: readonly string[], since: number): Promise<readonly SentMessage[]>;
  isWrittenSince(sessionIds: readonly string[], chatIds: readonly string[], since: number): Promise<boolean>;
}

export type SentMessage = Pick<MessageRow, '_id' | 'chat_id' | 'sent_at'>;

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
        // The lower bound on `blast_id` makes the store use the right index.
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
