import { type MessageRow, messagesSpec } from '../messaging/messages.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, Store } from '../port.ts';

/** The messages of campaigns, many at a time. */
export interface CampaignMessages {
  /** Stores those that are not there yet; gives how many. */
  accept(rows: readonly MessageRow[]): Promise<number>;
  /** Takes back those that no device has claimed: they are gone as if they had never been accepted. Gives them. */
  withdraw(ids: readonly string[]): Promise<MessageRow[]>;
  find(ids: readonly string[]): Promise<MessageRow[]>;
}

export function campaignMessagesIn(store: Store): CampaignMessages {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);

  return {
    accept: (rows) => insertedOf(messages, rows),

    async withdraw(ids) {
      const gone = await Promise.all(ids.map((_id) => messages.findOneAndDelete({ _id, status: 'queued' })));
      return gone.filter((row) => row !== null);
    },

    find: (ids) => messages.find({ _id: { $in: ids } }).toArray(),
  };
}
