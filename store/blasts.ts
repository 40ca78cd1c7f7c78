import type { Collection, CollectionSpec, Filter, Store } from './collection.ts';
import type { MediaFacts } from './messages.ts';

/** spec.md BlastCampaign.status. */
export type BlastStatus = 'draft' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

export type BlastType = 'text' | 'image' | 'document' | 'audio' | 'video' | 'sticker';

/** Whom a campaign goes to beside the recipients that were listed: looked up when it starts. */
export interface Audience {
  readonly by: 'segment_id' | 'tag' | 'group_id';
  readonly value: string;
}

/** How many recipients stand where. `total`: all but the invalid ones. */
export interface BlastCounts {
  readonly total_recipients: number;
  /** Sent, delivered and read. */
  readonly sent_count: number;
  readonly failed_count: number;
  readonly skipped_count: number;
}

/** One campaign (spec.md BlastCampaign, api.md "Blasts"). Times are epoch ms. */
export interface BlastRow extends BlastCounts {
  readonly _id: string;
  readonly tenant_id: string;
  /** The device it goes out on; null: a rotator chooses. */
  readonly session_id: string | null;
  readonly rotator_id: string | null;
  readonly name: string;
  readonly status: BlastStatus;
  readonly message_type: BlastType;
  /** With tokens (spec.md convention 8). */
  readonly body: string | null;
  readonly template_id: string | null;
  readonly media_r2_key: string | null;
  readonly media: MediaFacts | null;
  /** With tokens. */
  readonly caption: string | null;
  readonly audience: Audience | null;
  /** Where the reading of the audience stands: the id of the last contact taken; null: nothing is left to read. */
  readonly gathering: string | null;
  /** Zones of its recipients, for windows in each recipient's own. */
  readonly zones: readonly string[];
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly consent_attested_at: number | null;
  /** A draft starts by itself then. */
  readonly scheduled_at: number | null;
  /** It waits for the send window, until then. */
  readonly resumes_at: number | null;
  readonly pause_reason: string | null;
  /** Why it failed. */
  readonly error: string | null;
  /** Raised at each change of owner: an owner's write that carries an older one matches nothing. */
  readonly epoch: number;
  readonly node: string | null;
  /** When its actor has something to do; null: nothing by itself. */
  readonly due_at: number | null;
}

/** What its tenant may change of a draft. */
export type BlastDraft = Pick<
  BlastRow,
  | 'session_id'
  | 'rotator_id'
  | 'name'
  | 'message_type'
  | 'body'
  | 'template_id'
  | 'media_r2_key'
  | 'media'
  | 'caption'
  | 'audience'
  | 'gathering'
  | 'consent_attested_at'
  | 'scheduled_at'
  | 'due_at'
>;

/** What its actor may change of it. */
export type BlastPatch = Partial<
  Pick<
    BlastRow,
    | 'status'
    | 'body'
    | 'gathering'
    | 'started_at'
    | 'scheduled_at'
    | 'completed_at'
    | 'consent_attested_at'
    | 'resumes_at'
    | 'pause_reason'
    | 'error'
    | 'due_at'
    | keyof BlastCounts
  >
>;

/** Who may write what its actor owns: since which change of owner. */
export interface BlastOwner {
  readonly tenantId: string;
  readonly blastId: string;
  readonly epoch: number;
}

export interface BlastPage {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

export interface Blasts {
  create(row: BlastRow): Promise<void>;
  find(tenantId: string, blastId: string): Promise<BlastRow | null>;
  /** Newest first; `sessionIds` narrows to those devices (a restricted key). */
  list(
    tenantId: string,
    filter: { readonly status?: BlastStatus; readonly sessionIds?: readonly string[] },
    page: BlastPage,
  ): Promise<BlastRow[]>;
  /** null: it is no draft (any more). */
  changeDraft(tenantId: string, blastId: string, patch: Partial<BlastDraft>): Promise<BlastRow | null>;
  /** Recipients of these zones were added to it. */
  noteZones(tenantId: string, blastId: string, zones: readonly string[]): Promise<void>;
  /** How many it has by now. */
  noteCounts(tenantId: string, blastId: string, counts: BlastCounts): Promise<BlastRow | null>;
  /** False: it is in none of `statuses`. */
  remove(tenantId: string, blastId: string, statuses: readonly BlastStatus[]): Promise<boolean>;
  /** Takes ownership for `node`: raises the epoch; null: there is no such campaign. */
  own(tenantId: string, blastId: string, node: string): Promise<BlastRow | null>;
  /** The owner's write, from one of `from`; null: fenced, gone, or in another status. */
  write(owner: BlastOwner, from: readonly BlastStatus[], patch: BlastPatch): Promise<BlastRow | null>;
  /** Campaigns whose actor has something to do, the longest due first. */
  due(now: number, limit: number): Promise<Pick<BlastRow, '_id' | 'tenant_id'>[]>;
  /** What they depend on changed (settings, a device): every running one of the tenant is due now. */
  hurry(tenantId: string, now: number): Promise<Pick<BlastRow, '_id'>[]>;
}

const spec: CollectionSpec = {
  name: 'blasts',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'due', keys: { due_at: 1 }, where: { due_at: { $gte: 0 } } },
    { name: 'running', keys: { tenant_id: 1, _id: 1 }, where: { status: 'running' } },
  ],
  arrays: ['zones'],
};

const AFTER = { returnDocument: 'after' } as const;

export function blastsIn(store: Store): Blasts {
  const blasts: Collection<BlastRow> = store.collection<BlastRow>(spec);

  return {
    create: async (row) => void (await blasts.insertOne(row)),
    find: (tenant_id, _id) => blasts.findOne({ _id, tenant_id }),

    list: (tenant_id, { status, sessionIds }, page) =>
      blasts
        .find(
          { tenant_id, ...(status !== undefined && { status }), ...(sessionIds && { session_id: { $in: sessionIds } }), ...after(page) },
          { sort: { created_at: -1, _id: -1 }, limit: page.limit },
        )
        .toArray(),

    changeDraft: (tenant_id, _id, patch) => blasts.findOneAndUpdate({ _id, tenant_id, status: 'draft' }, { $set: patch }, AFTER),

    async noteZones(tenant_id, _id, zones) {
      await blasts.updateOne({ _id, tenant_id }, { $addToSet: { zones: { $each: zones } } });
    },

    noteCounts: (tenant_id, _id, counts) => blasts.findOneAndUpdate({ _id, tenant_id }, { $set: { ...counts } }, AFTER),

    async remove(tenant_id, _id, statuses) {
      return (await blasts.deleteOne({ _id, tenant_id, status: { $in: statuses } })).deletedCount === 1;
    },

    own: (tenant_id, _id, node) => blasts.findOneAndUpdate({ _id, tenant_id }, { $inc: { epoch: 1 }, $set: { node } }, AFTER),

    write: ({ tenantId, blastId, epoch }, from, patch) =>
      blasts.findOneAndUpdate({ _id: blastId, tenant_id: tenantId, epoch, status: { $in: from } }, { $set: patch }, AFTER),

    due: (now, limit) =>
      blasts.find({ due_at: { $gte: 0, $lte: now } }, { sort: { due_at: 1 }, limit, projection: { _id: 1, tenant_id: 1 } }).toArray(),

    async hurry(tenant_id, now) {
      await blasts.updateMany({ tenant_id, status: 'running' }, { $set: { due_at: now } });
      return blasts.find({ tenant_id, status: 'running' }, { projection: { _id: 1 } }).toArray();
    },
  };
}

function after({ before, beforeId }: BlastPage): Filter {
  if (before === null) return {};
  return { created_at: { $lte: before }, $or: [{ created_at: { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] };
}
