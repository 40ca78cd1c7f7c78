import type { Collection, Store } from '../port.ts';
import { type MessageRow, messagesSpec } from './messages.ts';

export interface SentMessages {
  /** Includes removed devices. Excludes messages refused later. A retried message is counted once. */
  count(tenantId: string, start: number, end: number): Promise<number>;
}

const SLICE_MS = 86_400_000;
const NOT_SENT = ['queued', 'sending', 'failed', 'cancelled'];

export function sentMessagesIn(store: Store): SentMessages {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);

  return {
    async count(tenant_id, start, end) {
      let sum = 0;
      for (let from = start; from < end; from += SLICE_MS) {
        const sent_at = { $gte: from, $lt: Math.min(end, from + SLICE_MS) };
        sum += await messages.countDocuments({ tenant_id, sent_at, status: { $nin: NOT_SENT }, quota_month: { $gte: '' } });
      }
      return sum;
    },
  };
}
