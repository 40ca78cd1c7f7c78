import { at } from '../../runtime/invariant.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';
import { type CampaignStatus, skipsPending } from './campaign-status.ts';
import type { CampaignCounts } from './campaigns.ts';

/** `invalid` is internal: a number that could not be read; callers see `skipped` with error `invalid`. */
export type RecipientStatus = 'pending' | 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'skipped' | 'invalid';

/** The values that personalise a text, as the recipient was listed. */
export interface ListedValues {
  readonly name: string | null;
  readonly var1: string | null;
  readonly var2: string | null;
  readonly var3: string | null;
  readonly var4: string | null;
  readonly var5: string | null;
}

/**
 * One person a campaign goes to. `_id` is also the id that its message will have, chosen here: however often a release is repeated after a
 * crash, one message comes of it.
 */
export interface RecipientRow extends ListedValues {
  readonly _id: string;
  readonly blast_id: string;
  readonly tenant_id: string;
  /** Digits; of an invalid one as it was written. Once in a campaign. */
  readonly phone: string;
  /** Of the number: for windows in the recipient's own time. */
  readonly zone: string;
  readonly status: RecipientStatus;
  readonly error: string | null;
  /** Of an ambiguous number: both numbers that it can mean. */
  readonly readings?: readonly string[];
  /** The device it went out on; null: not released yet. */
  readonly session_id: string | null;
  /** The quota of its message was taken under this name (store/accounts/usage); absent: before it had names. */
  readonly batch?: string | null;
  readonly created_at: number;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
}

/** The outcome of a released recipient's message. */
export type Outcome = Pick<RecipientRow, '_id' | 'session_id' | 'status' | 'error' | 'sent_at' | 'delivered_at' | 'read_at'>;

export interface Recipients {
  /** Stores those whose number the campaign does not have yet; gives how many. */
  add(rows: readonly RecipientRow[]): Promise<number>;
  /** Pending ones of this zone (null: any), the first listed first, after the id `afterId`. */
  pending(campaignId: string, zone: string | null, afterId: string, limit: number): Promise<RecipientRow[]>;
  /** Those with one of these numbers. */
  named(campaignId: string, phones: readonly string[]): Promise<RecipientRow[]>;
  /** Is there a pending one of this zone (null: any)? */
  hasPending(campaignId: string, zone: string | null): Promise<boolean>;
  /** Ids of those whose message waits or is on its way, and where; `limit` null: all of them, which are as many as its lanes hold. */
  queued(campaignId: string, limit: number | null): Promise<Pick<RecipientRow, '_id' | 'session_id' | 'zone' | 'batch'>[]>;
  countQueued(campaignId: string, limit: number): Promise<number>;
  /** Their messages go into the device's lane: `pending → queued`. `batch`: the name under which their quota is taken. */
  released(ids: readonly string[], sessionId: string, batch?: string): Promise<void>;
  /** Taken back out of the lane: `queued → pending`. */
  takenBack(ids: readonly string[]): Promise<void>;
  /** The message that the quota had stopped waits after all: `failed → queued`. */
  requeued(id: string): Promise<void>;
  /** Never sent: `pending → status`. `sessionId`: the device that has their messages; absent: they have none. */
  settledAtOnce(ids: readonly string[], status: 'skipped' | 'failed', error: string, sessionId?: string): Promise<void>;
  /** Records the outcomes of their messages; status moves forward only. Returns how many are counted as something else now. */
  cameOut(outcomes: readonly Outcome[]): Promise<number>;
  /** Some that are still pending are skipped with `error`, about `limit` at most; true: there may be more. */
  skipPending(campaignId: string, error: string, limit: number): Promise<boolean>;
  /** Of a cancelled or failed campaign whoever is pending counts as skipped. */
  counts(campaignId: string, status: CampaignStatus): Promise<CampaignCounts>;
  /** In the order in which they were listed. `status` null: all. */
  list(
    campaignId: string,
    status: RecipientStatus | readonly RecipientStatus[] | null,
    beforeId: string | null,
    limit: number,
  ): AsyncIterable<RecipientRow>;
  /** All of them, page by page, in the order in which they were listed. */
  all(campaignId: string): AsyncIterable<RecipientRow>;
  removeAll(campaignId: string): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'campaign_recipients',
  indexes: [
    { name: 'once', keys: { blast_id: 1, phone: 1 }, unique: true },
    { name: 'by_status', keys: { blast_id: 1, status: 1, _id: 1 } },
    { name: 'by_zone', keys: { blast_id: 1, zone: 1, _id: 1 }, where: { status: 'pending' } },
    { name: 'in_order', keys: { blast_id: 1, _id: 1 } },
  ],
  arrays: ['readings'],
};

/** The former statuses that allow each move: a late `sent` never undoes `read`; a message that failed or met a STOP may have been sent again, and failed again. */
const BEFORE: Readonly<Record<RecipientStatus, readonly RecipientStatus[]>> = {
  pending: [],
  invalid: [],
  queued: ['pending'],
  sent: ['pending', 'queued', 'failed', 'skipped'],
  delivered: ['pending', 'queued', 'failed', 'skipped', 'sent'],
  read: ['pending', 'queued', 'failed', 'skipped', 'sent', 'delivered'],
  failed: ['pending', 'queued', 'failed', 'skipped', 'sent'],
  skipped: ['pending', 'queued', 'failed', 'skipped'],
};

/** Whoever got it counts as sent. */
const SENT: readonly RecipientStatus[] = ['sent', 'delivered', 'read'];
const SENDABLE: readonly RecipientStatus[] = ['pending', 'queued', ...SENT, 'failed', 'skipped'];

const countedAs = (status: RecipientStatus): RecipientStatus => (SENT.includes(status) ? 'sent' : status);

export function recipientsIn(store: Store): Recipients {
  const recipients: Collection<RecipientRow> = store.collection<RecipientRow>(spec);
  // In one reading: of several a receipt that comes in between is in both, or in none.
  const count = (blast_id: string, statuses: readonly RecipientStatus[]): Promise<number> =>
    recipients.countDocuments({ blast_id, status: { $in: statuses } });

  return {
    add: (rows) => insertedOf(recipients, rows),

    pending: (blast_id, zone, afterId, limit) =>
      recipients
        .find({ blast_id, status: 'pending', ...(zone !== null && { zone }), _id: { $gt: afterId } }, { sort: { _id: 1 }, limit })
        .toArray(),

    named: async (blast_id, phones) => (phones.length === 0 ? [] : recipients.find({ blast_id, phone: { $in: phones } }).toArray()),

    async hasPending(blast_id, zone) {
      return (
        (await recipients.findOne({ blast_id, status: 'pending', ...(zone !== null && { zone }) }, { projection: { _id: 1 } })) !== null
      );
    },

    queued: (blast_id, limit) =>
      recipients
        .find(
          { blast_id, status: 'queued' },
          { sort: { _id: 1 }, ...(limit !== null && { limit }), projection: { _id: 1, session_id: 1, zone: 1, batch: 1 } },
        )
        .toArray(),

    countQueued: (blast_id, limit) => recipients.countDocuments({ blast_id, status: 'queued' }, { limit }),

    async released(ids, session_id, batch) {
      if (ids.length === 0) return;
      const change = { status: 'queued', session_id, ...(batch !== undefined && { batch }) };
      await recipients.updateMany({ _id: { $in: ids }, status: 'pending' }, { $set: change });
    },

    async takenBack(ids) {
      if (ids.length === 0) return;
      await recipients.updateMany({ _id: { $in: ids }, status: 'queued' }, { $set: { status: 'pending', session_id: null, batch: null } });
    },

    // With the error: it may have been sent and have failed since, of something else.
    requeued: async (_id) =>
      void (await recipients.updateOne({ _id, status: 'failed', error: 'quota_exceeded' }, { $set: { status: 'queued', error: null } })),

    async settledAtOnce(ids, status, error, session_id) {
      if (ids.length === 0) return;
      const change = { status, error, ...(session_id !== undefined && { session_id }) };
      await recipients.updateMany({ _id: { $in: ids }, status: 'pending' }, { $set: change });
    },

    async cameOut(outcomes) {
      const before = await Promise.all(
        outcomes.map(({ _id, ...outcome }) =>
          recipients.findOneAndUpdate(
            { _id, status: { $in: BEFORE[outcome.status] } },
            { $set: { ...outcome } },
            { returnDocument: 'before' },
          ),
        ),
      );
      return before.filter((row, nth) => row && countedAs(row.status) !== countedAs(at(outcomes, nth).status)).length;
    },

    async skipPending(blast_id, error, limit) {
      const some = { blast_id, status: 'pending' };
      const found = await recipients.find(some, { sort: { _id: 1 }, limit, projection: { _id: 1 } }).toArray();
      const last = found.at(-1);
      if (last) await recipients.updateMany({ ...some, _id: { $lte: last._id } }, { $set: { status: 'skipped', error } });
      return found.length === limit;
    },

    async counts(blast_id, status) {
      const [total_recipients, sent_count, failed_count, skipped_count] = await Promise.all([
        count(blast_id, SENDABLE),
        count(blast_id, SENT),
        count(blast_id, ['failed']),
        count(blast_id, skipsPending(status) ? ['skipped', 'pending'] : ['skipped']),
      ]);
      return { total_recipients, sent_count, failed_count, skipped_count };
    },

    list: (blast_id, status, beforeId, limit) =>
      recipients.find(
        {
          blast_id,
          ...(status !== null && { status: typeof status === 'string' ? status : { $in: status } }),
          ...(beforeId !== null && { _id: { $lt: beforeId } }),
        },
        { sort: { _id: -1 }, limit },
      ),

    all: (blast_id) => recipients.find({ blast_id }, { sort: { _id: 1 } }),

    async removeAll(blast_id) {
      await recipients.deleteMany({ blast_id });
    },
  };
}
