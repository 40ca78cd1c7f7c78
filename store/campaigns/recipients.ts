import { at } from '../../runtime/invariant.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';
import { type CampaignStatus, skipsPending } from './campaign-status.ts';
import type { CampaignCounts } from './campaigns.ts';

/** `invalid`: the number could not be parsed. Callers see `skipped` with the error `invalid`. */
export type RecipientStatus = 'pending' | 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'skipped' | 'invalid';

export interface ListedValues {
  readonly name: string | null;
  readonly var1: string | null;
  readonly var2: string | null;
  readonly var3: string | null;
  readonly var4: string | null;
  readonly var5: string | null;
}

/**
 * `_id` is also the message's id, so that a recipient that is released twice gets only one message.
 */
export interface RecipientRow extends ListedValues {
  readonly _id: string;
  readonly blast_id: string;
  readonly tenant_id: string;
  /** Digits or a hidden address; the original input if it is invalid. Unique in a campaign. */
  readonly phone: string;
  /** Time zone of the number, or `business` if the number is unknown. */
  readonly zone: string;
  readonly status: RecipientStatus;
  readonly error: string | null;
  readonly readings?: readonly string[];
  readonly session_id: string | null;
  readonly batch?: string | null;
  readonly created_at: number;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  readonly replied_at?: number;
  readonly resent_in?: string;
  readonly opted_out_at?: number;
}

export const REPLY_MS = 72 * 3_600_000;

export type Reply = 'replied_at' | 'opted_out_at';

export interface RecipientFilter {
  readonly status: RecipientStatus | readonly RecipientStatus[] | null;
  readonly error?: string;
}

export type Outcome = Pick<RecipientRow, '_id' | 'session_id' | 'status' | 'error' | 'sent_at' | 'delivered_at' | 'read_at'>;

export interface Recipients {
  add(rows: readonly RecipientRow[]): Promise<number>;
  pending(campaignId: string, zone: string | null, afterId: string, limit: number): Promise<RecipientRow[]>;
  named(campaignId: string, phones: readonly string[]): Promise<RecipientRow[]>;
  hasPending(campaignId: string, zone: string | null): Promise<boolean>;
  queued(campaignId: string, limit: number | null): Promise<Pick<RecipientRow, '_id' | 'session_id' | 'zone' | 'batch'>[]>;
  countQueued(campaignId: string, limit: number): Promise<number>;
  /** Returns those of the given ids whose recipients are pending or skipped. */
  unmarked(ids: readonly string[]): Promise<readonly string[]>;
  released(ids: readonly string[], sessionId: string, batch?: string): Promise<void>;
  takenBack(ids: readonly string[]): Promise<void>;
  /** `failed → queued`: a message that failed for lack of quota is waiting again. */
  requeued(id: string): Promise<void>;
  settledAtOnce(ids: readonly string[], status: 'skipped' | 'failed', error: string, sessionId?: string): Promise<void>;
  /** Statuses only move forward. Returns how many recipients changed status. */
  cameOut(outcomes: readonly Outcome[]): Promise<number>;
  skipPending(campaignId: string, error: string, limit: number): Promise<boolean>;
  /** In a cancelled or failed campaign, pending recipients count as skipped. */
  counts(campaignId: string, status: CampaignStatus): Promise<CampaignCounts>;
  list(campaignId: string, filter: RecipientFilter, beforeId: string | null, limit: number): AsyncIterable<RecipientRow>;
  failedFor(campaignId: string, reasons: readonly string[], afterId: string, limit: number): Promise<RecipientRow[]>;
  countFailed(campaignId: string, reason: string): Promise<number>;
  resent(ids: readonly string[], campaignId: string): Promise<void>;
  unanswered(ids: readonly string[]): Promise<readonly Pick<RecipientRow, '_id' | 'blast_id'>[]>;
  answered(id: string, reply: Reply, at: number): Promise<boolean>;
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

const SENT: readonly RecipientStatus[] = ['sent', 'delivered', 'read'];
const SENDABLE: readonly RecipientStatus[] = ['pending', 'queued', ...SENT, 'failed', 'skipped'];

const UNANSWERED = { replied_at: null, opted_out_at: null } as const;
const NOBODY_REACHED = { delivered_count: 0, read_count: 0, replied_count: 0, opted_out_count: 0 } as const;

const countedAs = (status: RecipientStatus): RecipientStatus => (SENT.includes(status) ? 'sent' : status);

export function recipientsIn(store: Store): Recipients {
  const recipients: Collection<RecipientRow> = store.collection<RecipientRow>(spec);
  // Uses one query, because between several queries a receipt could be counted twice or missed.
  const count = (blast_id: string, statuses: readonly RecipientStatus[]): Promise<number> =>
    recipients.countDocuments({ blast_id, status: { $in: statuses } });

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

    // Also matches the error, because the message may have failed again for another reason.
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

    countFailed: (blast_id, reason) => recipients.countDocuments({ blast_id, error: { $gte: '', $eq: reason }, status: 'failed' }),

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
