import type { Collection, Store } from '../port.ts';
import type { MessageRow } from './message-row.ts';
import { messagesSpec } from './messages.ts';

export interface MessageSecrets {
  forget(before: number, limit: number): Promise<number>;
}

export const SECRET_KEPT_MS = 30 * 86_400_000;

/** Sealing context. A secret that is copied to another row cannot be decrypted there. */
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
