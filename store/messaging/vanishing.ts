import type { Collection, Store } from '../port.ts';
import type { MessageRow } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';
import { messagesSpec } from './messages.ts';

/**
 * Disappearing messages whose timer ends. What one said goes, as if it had been deleted for everyone; that it was there stays, for counts and
 * receipts. One that waits to be sent has no end yet: its time begins when it leaves.
 */
export interface VanishingMessages {
  /** Those whose end has come and of which all is told, the longest overdue first. */
  due(now: number, limit: number): Promise<readonly MessageRow[]>;
  /** What these said goes. */
  vanish(ids: readonly string[], now: number): Promise<void>;
  /** Something keeps these: they are looked at again then. */
  postpone(ids: readonly string[], until: number): Promise<void>;
}

const DELETE = messageMove('deleted', 'sent', 'delivered', 'read', 'failed', 'cancelled');

/** What a deleted message no longer has. */
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
      // Deleted before: nothing is left of it.
      await messages.updateMany({ ...filter, status: 'deleted' }, { $unset: { vanishes_at: '' } });
    },

    postpone: async (ids, until) => void (await messages.updateMany({ _id: { $in: ids } }, { $set: { vanishes_at: until } })),
  };
}
