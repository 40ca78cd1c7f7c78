import type { Collection, Store } from '../port.ts';
import type { MessageRow } from './message-row.ts';
import { messagesSpec } from './messages.ts';

/**
 * Secrets of messages, with which their edits, reactions and comments are sealed. Each lies in its message's row, sealed for that row alone, so
 * that it goes wherever the message goes; after 30 days it is removed.
 */
export interface MessageSecrets {
  /** Removes those of messages that were stored before this time, at most `limit`; gives how many. */
  forget(before: number, limit: number): Promise<number>;
}

export const SECRET_KEPT_MS = 30 * 86_400_000;

/** What a secret is sealed as: in the place of another row's it opens as nothing. */
export const secretOf = (id: string): string => `message ${id}`;

export const HAS_SECRET = { secret: { $gte: '' } } as const;

export function messageSecretsIn(store: Store): MessageSecrets {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  return {
    async forget(before, limit) {
      const late = { ...HAS_SECRET, created_at: { $lt: before } };
      const found = await messages.find(late, { sort: { created_at: 1 }, limit, projection: { _id: 1 } }).toArray();
      if (found.length > 0) await messages.updateMany({ _id: { $in: found.map(({ _id }) => _id) } }, { $unset: { secret: '' } });
      return found.length;
    },
  };
}
