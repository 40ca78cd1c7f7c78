import { idFloor } from '../../runtime/derived-ids.ts';
import type { Collection, Filter } from '../port.ts';
import type { MessageRow } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';

export const UNSENT_ERRORS: readonly (string | null)[] = ['opted_out', 'expired'];

export interface UnsentMessages {
  /** Removes a message whose quota is unclear. Returns false if its device has already claimed it. */
  withdraw(row: MessageRow): Promise<boolean>;
  /** `queued → failed` with `quota_exceeded`. Returns null if its device has already claimed it. */
  refuseUnpaid(row: MessageRow): Promise<MessageRow | null>;
  /** Erases a reaction or a failed, cancelled or inbound message. Returns null for any other message. */
  erase(tenantId: string, sessionId: string, id: string, now: number): Promise<MessageRow | null>;
  claimRefund(ids: readonly string[], month: string, refund: string): Promise<number>;
  openRefunds(
    before: number,
    limit: number,
  ): Promise<readonly { readonly refund: string; readonly tenantId: string; readonly count: number }[]>;
  endRefund(refund: string): Promise<void>;
}

const NEVER_LEFT: Filter = { $or: [{ status: 'cancelled' }, { status: 'failed', error: { $in: UNSENT_ERRORS } }] };
const of = (refund: string): Filter => ({ refund: { $gte: '', $eq: refund } });
const UNPAID = messageMove('failed', 'queued');
const ERASE = messageMove('deleted', 'failed', 'cancelled');
const ERASE_RECEIVED = messageMove('deleted');
/** Messages that may be erased here. Our own sent messages must be deleted on phones first. */
const ERASABLE: Filter = {
  $or: [
    { direction: 'outbound', ...ERASE.from },
    { direction: 'inbound', ...ERASE_RECEIVED.from },
  ],
  message_type: { $ne: 'reaction' },
};
const ERASABLE_REACTION: Filter = { message_type: 'reaction', ...ERASE_RECEIVED.from };
const EMPTY = { body: null, parts: {}, media_r2_key: null, deferred_media: null } as const;
/** Keeps the reaction's target. Otherwise the person's earlier reaction would count again. */
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
      // Counts one after the other, because the embedded store rejects many concurrent counts.
      for (const [refund, tenantId] of names) refunds.push({ refund, tenantId, count: await messages.countDocuments(of(refund)) });
      return refunds;
    },

    endRefund: async (refund) => void (await messages.updateMany(of(refund), { $unset: { refund: '' } })),
  };
}
