import type { Collection, Store } from './collection.ts';
import { insertedOf } from './inserted.ts';
import { type MessageRow, messagesSpec } from './messages.ts';

/** The messages of campaigns, many at a time. */
export interface BlastMessages {
  /** Stores those that are not there yet; gives how many. */
  accept(rows: readonly MessageRow[]): Promise<number>;
  /** Takes back those that no device has claimed: they are gone as if they had never been accepted. Gives them. */
  withdraw(ids: readonly string[]): Promise<MessageRow[]>;
  find(ids: readonly string[]): Promise<MessageRow[]>;
}

export function blastMessagesIn(store: Store): BlastMessages {
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
