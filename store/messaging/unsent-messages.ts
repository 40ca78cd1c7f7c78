import { idFloor } from '../../runtime/derived-ids.ts';
import type { Collection, Filter } from '../port.ts';
import type { MessageRow } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';

/** The error of a message that never left its device. */
export const UNSENT_ERRORS: readonly (string | null)[] = ['opted_out', 'expired'];

/** Messages that never left, and the quota that they took. */
export interface UnsentMessages {
  /** It was stored, but it is not certain that it is counted: it is gone again. False: its device has claimed it already. */
  withdraw(row: MessageRow): Promise<boolean>;
  /** `queued → failed` with `quota_exceeded`: its quota was not granted. Null: its device has claimed it already. */
  refuseUnpaid(row: MessageRow): Promise<MessageRow | null>;
  /** `failed`, `cancelled`, a reaction and what was received → `deleted`: what it said is gone; null: it is none of these. */
  erase(tenantId: string, sessionId: string, id: string, now: number): Promise<MessageRow | null>;
  /**
   * Of messages that never left, those that still hold quota of `month` hold none from now on; gives how many. Whoever is counted here is counted
   * in no other refund.
   */
  claimRefund(ids: readonly string[], month: string, refund: string): Promise<number>;
  /** Refunds that were claimed before `before` (epoch ms) and not ended since, each with its tenant and how many messages it is of. */
  openRefunds(
    before: number,
    limit: number,
  ): Promise<readonly { readonly refund: string; readonly tenantId: string; readonly count: number }[]>;
  /** The quota is given back. */
  endRefund(refund: string): Promise<void>;
}

const NEVER_LEFT: Filter = { $or: [{ status: 'cancelled' }, { status: 'failed', error: { $in: UNSENT_ERRORS } }] };
/** As the index has it. */
const of = (refund: string): Filter => ({ refund: { $gte: '', $eq: refund } });
const UNPAID = messageMove('failed', 'queued');
const ERASE = messageMove('deleted', 'failed', 'cancelled');
const ERASE_RECEIVED = messageMove('deleted');
/** What others wrote stays on their phones; of our own, what is on phones is deleted there first. */
const ERASABLE: Filter = {
  $or: [
    { direction: 'outbound', ...ERASE.from },
    { direction: 'inbound', ...ERASE_RECEIVED.from },
  ],
  message_type: { $ne: 'reaction' },
};
/** Reactions stay on phones, too. */
const ERASABLE_REACTION: Filter = { message_type: 'reaction', ...ERASE_RECEIVED.from };
const EMPTY = { body: null, parts: {}, media_r2_key: null, deferred_media: null } as const;
/** It keeps its target: else an earlier reaction of the same person would hold again. */
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
      // One after the other: the embedded store refuses many counts at once.
      for (const [refund, tenantId] of names) refunds.push({ refund, tenantId, count: await messages.countDocuments(of(refund)) });
      return refunds;
    },

    endRefund: async (refund) => void (await messages.updateMany(of(refund), { $unset: { refund: '' } })),
  };
}
