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
  /** Digits, or the hidden address of somebody without a number; of an invalid one as it was written. Once in a campaign. */
  readonly phone: string;
  /** Of the number: for windows in the recipient's own time. `business` where no number is known. */
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
  /** Their first answer, within `REPLY_MS` of the message; absent: none. */
  readonly replied_at?: number;
  /** The campaign that was made to write to them once more. */
  readonly resent_in?: string;
  /** Instead of an answer they took back their consent; absent: no. */
  readonly opted_out_at?: number;
}

/** So long after a message of a campaign an answer counts as one to it. */
export const REPLY_MS = 72 * 3_600_000;

/** What a person's first message after that of a campaign was. */
export type Reply = 'replied_at' | 'opted_out_at';

/** Which recipients a list shows; all of it has to hold. */
export interface RecipientFilter {
  /** null: any. */
  readonly status: RecipientStatus | readonly RecipientStatus[] | null;
  /** Only those with this `error`. */
  readonly error?: string;
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
  /** Which of these are in no lane and have no outcome of a message: pending or skipped. */
  unmarked(ids: readonly string[]): Promise<readonly string[]>;
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
  /** The last listed first. */
  list(campaignId: string, filter: RecipientFilter, beforeId: string | null, limit: number): AsyncIterable<RecipientRow>;
  /** Those whose message failed for one of these reasons, the first listed first, after the id `afterId`. */
  failedFor(campaignId: string, reasons: readonly string[], afterId: string, limit: number): Promise<RecipientRow[]>;
  /** They are written to once more in that campaign. */
  resent(ids: readonly string[], campaignId: string): Promise<void>;
  /** Which of these have not answered. */
  unanswered(ids: readonly string[]): Promise<readonly Pick<RecipientRow, '_id' | 'blast_id'>[]>;
  /** They answered, or took back their consent; false: that is known already, or they are gone. */
  answered(id: string, reply: Reply, at: number): Promise<boolean>;
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
    { name: 'by_error', keys: { blast_id: 1, error: 1, _id: 1 }, where: { error: { $gte: '' } } },
    { name: 'replied', keys: { blast_id: 1 }, where: { replied_at: { $gte: 0 } } },
    { name: 'opted_out', keys: { blast_id: 1 }, where: { opted_out_at: { $gte: 0 } } },
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

const UNANSWERED = { replied_at: null, opted_out_at: null } as const;
const NOBODY_REACHED = { delivered_count: 0, read_count: 0, replied_count: 0, opted_out_count: 0 } as const;

const countedAs = (status: RecipientStatus): RecipientStatus => (SENT.includes(status) ? 'sent' : status);

export function recipientsIn(store: Store): Recipients {
  const recipients: Collection<RecipientRow> = store.collection<RecipientRow>(spec);
  // In one reading: of several a receipt that comes in between is in both, or in none.
  const count = (blast_id: string, statuses: readonly RecipientStatus[]): Promise<number> =>
    recipients.countDocuments({ blast_id, status: { $in: statuses } });

  /** One step for each reason: from one to the next in the index, and no recipient is read. */
  async function reasonsOf(blast_id: string): Promise<Readonly<Record<string, number>>> {
    const reasons: Record<string, number> = {};
    for (let last = ''; ; ) {
      const options = { sort: { error: 1 }, limit: 1, projection: { error: 1 } } as const;
      const [next] = await recipients.find({ blast_id, error: { $gte: '', $gt: last } }, options).toArray();
      if (!next?.error) return reasons;
      last = next.error;
      const skipped = await recipients.countDocuments({
        blast_id,
        error: { $gte: '', $eq: last },
        status: { $in: ['skipped', 'invalid'] },
      });
      if (skipped > 0) reasons[last] = skipped;
    }
  }

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

    async unmarked(ids) {
      const filter = { _id: { $in: ids }, status: { $in: ['pending', 'skipped'] } };
      return (await recipients.find(filter, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    },

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
      const [total_recipients, sent_count, failed_count, skipped_count, invalid] = await Promise.all([
        count(blast_id, SENDABLE),
        count(blast_id, SENT),
        count(blast_id, ['failed']),
        count(blast_id, skipsPending(status) ? ['skipped', 'pending'] : ['skipped']),
        count(blast_id, ['invalid']),
      ]);
      const counts = { total_recipients, sent_count, failed_count, skipped_count };
      const skipped = skipped_count + invalid === 0 ? {} : await reasonsOf(blast_id);
      if (sent_count === 0) return { ...counts, ...NOBODY_REACHED, skipped };
      const [delivered_count, read_count, replied_count, opted_out_count] = await Promise.all([
        count(blast_id, ['delivered', 'read']),
        count(blast_id, ['read']),
        recipients.countDocuments({ blast_id, replied_at: { $gte: 0 } }),
        recipients.countDocuments({ blast_id, opted_out_at: { $gte: 0 } }),
      ]);
      return { ...counts, delivered_count, read_count, replied_count, opted_out_count, skipped };
    },

    failedFor: (blast_id, reasons, afterId, limit) =>
      recipients
        .find({ blast_id, status: 'failed', error: { $in: reasons }, _id: { $gt: afterId } }, { sort: { _id: 1 }, limit })
        .toArray(),

    async resent(ids, resent_in) {
      if (ids.length > 0) await recipients.updateMany({ _id: { $in: ids } }, { $set: { resent_in } });
    },

    unanswered: (ids) => recipients.find({ _id: { $in: ids }, ...UNANSWERED }, { projection: { _id: 1, blast_id: 1 } }).toArray(),

    answered: async (_id, reply, at) => (await recipients.updateOne({ _id, ...UNANSWERED }, { $set: { [reply]: at } })).modifiedCount === 1,

    list: (blast_id, { status, error }, beforeId, limit) =>
      recipients.find(
        {
          blast_id,
          ...(error !== undefined && { error: { $gte: '', $eq: error } }),
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
