import type { Collection, Store } from '../port.ts';
import type { MessageRow } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';
import { messagesSpec } from './messages.ts';

/** Removes the content of disappearing messages. Their rows are kept for counts and receipts. */
export interface VanishingMessages {
  due(now: number, limit: number): Promise<readonly MessageRow[]>;
  vanish(ids: readonly string[], now: number): Promise<void>;
  postpone(ids: readonly string[], until: number): Promise<void>;
}

const DELETE = messageMove('deleted', 'sent', 'delivered', 'read', 'failed', 'cancelled');

export const EMPTIED = { body: null, parts: {}, media_r2_key: null, deferred_media: null, secret: null } as const;

export function vanishingMessagesIn(store: Store): VanishingMessages {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  return {
    due: (now, limit) =>
      messages
        .find(
          { vanishes_at: { $gte: 0, $lte: now }, outbox_pending: false, status: { $nin: ['queued', 'sending'] } },
          { sort: { vanishes_at: 1 }, limit },
        )
        .toArray(),

    async vanish(ids, now) {
      const filter = { _id: { $in: ids }, vanishes_at: { $gte: 0, $lte: now }, outbox_pending: false };
      const gone = changed({ ...DELETE.to, ...EMPTIED, quotes: null, deleted_at: now });
      await messages.updateMany({ ...filter, ...DELETE.from }, { ...gone, $unset: { vanishes_at: '' } });
      await messages.updateMany({ ...filter, status: 'deleted' }, { $unset: { vanishes_at: '' } });
    },

    postpone: async (ids, until) => void (await messages.updateMany({ _id: { $in: ids } }, { $set: { vanishes_at: until } })),
  };
}
