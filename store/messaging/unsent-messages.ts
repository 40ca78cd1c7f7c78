import { idFloor } from '../../runtime/derived-ids.ts';
import type { Collection, Filter } from '../port.ts';
import type { MessageRow } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';

/** Errors of messages that never left their device. */
export const UNSENT_ERRORS: readonly (string | null)[] = ['opted_out', 'expired'];

/** Messages that were never sent, and the refund of their quota. */
export interface UnsentMessages {
  /**
   * Removes a stored message when it is unclear whether its quota was counted. Returns false if its
   * device has claimed it already.
   */
  withdraw(row: MessageRow): Promise<boolean>;
  /**
   * `queued → failed` with `quota_exceeded` when its quota was not granted; null when its device
   * has claimed it already.
   */
  refuseUnpaid(row: MessageRow): Promise<MessageRow | null>;
  /**
   * Changes failed and cancelled messages, reactions and inbound messages to `deleted` and removes
   * their content; null for any other message.
   */
  erase(tenantId: string, sessionId: string, id: string, now: number): Promise<MessageRow | null>;
  /**
   * Moves the quota of `month` that unsent messages still hold into the named refund. Returns how
   * many messages held quota. Each message counts in one refund only.
   */
  claimRefund(ids: readonly string[], month: string, refund: string): Promise<number>;
  /**
   * Returns refunds claimed before `before` (epoch ms) and not completed, each with its tenant and
   * number of messages.
   */
  openRefunds(
    before: number,
    limit: number,
  ): Promise<readonly { readonly refund: string; readonly tenantId: string; readonly count: number }[]>;
  /** Completes a refund. */
  endRefund(refund: string): Promise<void>;
}

const NEVER_LEFT: Filter = { $or: [{ status: 'cancelled' }, { status: 'failed', error: { $in: UNSENT_ERRORS } }] };
/** The filter in the form that the partial index requires. */
const of = (refund: string): Filter => ({ refund: { $gte: '', $eq: refund } });
const UNPAID = messageMove('failed', 'queued');
const ERASE = messageMove('deleted', 'failed', 'cancelled');
const ERASE_RECEIVED = messageMove('deleted');
/** Messages of others stay on their phones. Our own sent messages must first be deleted on phones. */
const ERASABLE: Filter = {
  $or: [
    { direction: 'outbound', ...ERASE.from },
    { direction: 'inbound', ...ERASE_RECEIVED.from },
  ],
  message_type: { $ne: 'reaction' },
};
/** Reactions stay on phones as well. */
const ERASABLE_REACTION: Filter = { message_type: 'reaction', ...ERASE_RECEIVED.from };
const EMPTY = { body: null, parts: {}, media_r2_key: null, deferred_media: null } as const;
/**
 * Keeps the target of the reaction: otherwise an earlier reaction of the same person would count
 * again.
 */
const EMPTY_REACTION = { body: null } as const;

export function unsentMessagesIn(messages: Collection<MessageRow>): UnsentMessages {
  return {
    withdraw: async ({ _id }) => (await messages.deleteOne({ _id, status: 'queued', attempts: 0 })).deletedCount === 1,

    refuseUnpaid: ({ _id }) =>
      messages.findOneAndUpdate(
        { _id, ...UNPAID.from, attempts: 0 },
        changed({ ...UNPAID.to, error: 'quota_exceeded', quota_month: null }),
        { returnDocument: 'after' },
      ),

    async erase(tenant_id, session_id, _id, now) {
      const erased = (filter: Filter, content: typeof EMPTY | typeof EMPTY_REACTION) =>
        messages.findOneAndUpdate({ _id, tenant_id, session_id, ...filter }, changed({ ...ERASE.to, ...content, deleted_at: now }), {
          returnDocument: 'after',
        });
      return (await erased(ERASABLE, EMPTY)) ?? erased(ERASABLE_REACTION, EMPTY_REACTION);
    },

    async claimRefund(ids, quota_month, refund) {
      const filter = { _id: { $in: ids }, quota_month, ...NEVER_LEFT };
      return (await messages.updateMany(filter, { $set: { quota_month: null, refund } })).matchedCount;
    },

    async openRefunds(before, limit) {
      const found = await messages
        .find({ refund: { $gte: '', $lt: idFloor(before) } }, { sort: { refund: 1 }, limit, projection: { refund: 1, tenant_id: 1 } })
        .toArray();
      const names = new Map(found.flatMap(({ refund, tenant_id }) => (refund ? [[refund, tenant_id] as const] : [])));
      const refunds: { readonly refund: string; readonly tenantId: string; readonly count: number }[] = [];
      // Counts sequentially: the embedded store refuses many concurrent counts.
      for (const [refund, tenantId] of names) refunds.push({ refund, tenantId, count: await messages.countDocuments(of(refund)) });
      return refunds;
    },

    endRefund: async (refund) => void (await messages.updateMany(of(refund), { $unset: { refund: '' } })),
  };
}
