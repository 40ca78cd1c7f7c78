import type { OfficialTemplate } from '../contacts/labels.ts';
import type { MediaFacts } from '../messaging/messages.ts';
import type { Move } from '../patterns/transitions.ts';
import type { Collection, CollectionSpec, Filter, Store } from '../port.ts';
import { type CampaignStatus, campaignMove } from './campaign-status.ts';

export type CampaignType = 'text' | 'image' | 'document' | 'audio' | 'video' | 'sticker';

/** Whom a campaign goes to beside the recipients that were listed: looked up when it starts. */
export interface Audience {
  readonly by: 'segment_id' | 'tag' | 'tags' | 'group_id' | 'all_contacts';
  /** An id; of a tag its name at that time; '' of several tags and of all contacts. */
  readonly value: string;
  /** Of a tag; absent on drafts of earlier releases. */
  readonly tag_id?: string;
  /** Of several tags: contacts who have any of them. */
  readonly tag_ids?: readonly string[];
}

/** How many recipients stand where. `total`: all but the invalid ones. */
export interface CampaignCounts {
  readonly total_recipients: number;
  /** Sent, delivered and read. */
  readonly sent_count: number;
  readonly failed_count: number;
  readonly skipped_count: number;
  /** Delivered and read. Absent, as the ones below: counted by an earlier release. */
  readonly delivered_count?: number;
  readonly read_count?: number;
  /** Whose first message within 72 hours after it was an answer, or took back their consent. */
  readonly replied_count?: number;
  readonly opted_out_count?: number;
  /** How many were skipped, by the reason; of invalid ones, too. */
  readonly skipped?: Readonly<Record<string, number>>;
}

/** A template of the vendor's platform; the values of its variables may have tokens. */
export interface CampaignTemplate extends Pick<OfficialTemplate, 'waba_id' | 'name' | 'language' | 'category' | 'components'> {
  readonly variables: readonly { readonly name: string; readonly value: string }[];
}

/** One campaign. Times are epoch ms. */
export interface CampaignRow extends CampaignCounts {
  readonly _id: string;
  readonly tenant_id: string;
  /** The device it goes out on; null: a rotator chooses. */
  readonly session_id: string | null;
  readonly rotator_id: string | null;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly message_type: CampaignType;
  /** With tokens. */
  readonly body: string | null;
  readonly template_id: string | null;
  readonly media_r2_key: string | null;
  readonly media: MediaFacts | null;
  /** With tokens. */
  readonly caption: string | null;
  /** Of a template of the vendor's platform, as it was when the draft named it; absent or null: `body` is a text of ours. */
  readonly official?: CampaignTemplate | null;
  readonly audience: Audience | null;
  /** Whoever has one of these tags gets no message; absent: nobody is left out. */
  readonly exclude_tag_ids?: readonly string[];
  /** Whoever got a message from the tenant so many hours before gets none; absent or null: that does not matter. */
  readonly skip_if_messaged_within_hours?: number | null;
  /** It was made from that campaign, for those whom it had failed for `resend_reasons`; absent: it was not. */
  readonly resend_of?: string;
  readonly resend_reasons?: readonly string[];
  /** Where the reading of the audience stands: the id of the last contact taken; null: nothing is left to read. */
  readonly gathering: string | null;
  /** How many recipients were listed, invalid ones too; absent: none. */
  readonly listed?: number;
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

/** The fields of a draft that its tenant may change. */
export type CampaignDraft = Pick<
  CampaignRow,
  | 'session_id'
  | 'rotator_id'
  | 'name'
  | 'message_type'
  | 'body'
  | 'template_id'
  | 'media_r2_key'
  | 'media'
  | 'caption'
  | 'official'
  | 'audience'
  | 'exclude_tag_ids'
  | 'skip_if_messaged_within_hours'
  | 'gathering'
  | 'consent_attested_at'
  | 'scheduled_at'
  | 'due_at'
>;

/** What a draft says, in fields that belong together. */
export type CampaignContent = Pick<CampaignRow, 'message_type' | 'body' | 'template_id' | 'media_r2_key' | 'caption'>;

/** The fields that its actor may change. Its status changes by moves only. */
export type CampaignPatch = Partial<
  Pick<
    CampaignRow,
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
    | keyof CampaignCounts
  >
>;

/** Who may write what its actor owns: since which change of owner. */
export interface CampaignOwner {
  readonly tenantId: string;
  readonly campaignId: string;
  readonly epoch: number;
}

export interface CampaignPage {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

export interface Campaigns {
  create(row: CampaignRow): Promise<void>;
  find(tenantId: string, campaignId: string): Promise<CampaignRow | null>;
  /** Newest first; `sessionIds` narrows to those devices (a restricted key). */
  list(
    tenantId: string,
    filter: { readonly status?: CampaignStatus; readonly sessionIds?: readonly string[] },
    page: CampaignPage,
  ): AsyncIterable<CampaignRow>;
  /** null: it is no draft (any more), or has other content than `asRead`, of which a new one is made. */
  changeDraft(
    tenantId: string,
    campaignId: string,
    patch: Partial<CampaignDraft>,
    asRead?: Partial<CampaignContent>,
  ): Promise<CampaignRow | null>;
  /** Recipients of these zones were added to it. */
  noteZones(tenantId: string, campaignId: string, zones: readonly string[]): Promise<void>;
  /** So many recipients more are listed in it; false: it is not there any more. */
  noteListed(tenantId: string, campaignId: string, count: number): Promise<boolean>;
  /** The draft that was made of a campaign to be sent again; null: there is none. */
  openResend(tenantId: string, campaignId: string): Promise<CampaignRow | null>;
  /** Which of these are there. */
  existing(tenantId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Drafts of a tenant, and how many recipients are listed in each. */
  drafts(tenantId: string): Promise<readonly Pick<CampaignRow, '_id' | 'listed'>[]>;
  /** How many campaigns of a tenant run or are paused, up to `limit`. */
  countStarted(tenantId: string, limit: number): Promise<number>;
  /** How many a draft has by now; null: it is no draft (any more), and counts what comes of it by itself. */
  noteCounts(tenantId: string, campaignId: string, counts: CampaignCounts): Promise<CampaignRow | null>;
  /** A draft is cancelled for good, and nobody is told; false: it is no draft (any more). */
  abandon(tenantId: string, campaignId: string, now: number): Promise<boolean>;
  /** False: it is in none of `statuses`. */
  remove(tenantId: string, campaignId: string, statuses: readonly CampaignStatus[]): Promise<boolean>;
  /** Takes ownership for `node`: raises the epoch; null: there is no such campaign. */
  own(tenantId: string, campaignId: string, node: string): Promise<CampaignRow | null>;
  /** The owner's move to another status; null: fenced, gone, or in a status from which there is no such move. */
  move(owner: CampaignOwner, move: Move<CampaignStatus>, patch: CampaignPatch): Promise<CampaignRow | null>;
  /** The owner's write while it is in this status; null: fenced, gone, or in another status. */
  write(owner: CampaignOwner, status: CampaignStatus, patch: CampaignPatch): Promise<CampaignRow | null>;
  /** Campaigns whose actor has something to do: all of them, because a running one is due until it ends, and would keep others out of a shorter list. */
  due(now: number): Promise<Pick<CampaignRow, '_id' | 'tenant_id'>[]>;
  /** Something they depend on changed (settings, a device): every running campaign of the tenant is due now. */
  hurry(tenantId: string, now: number): Promise<Pick<CampaignRow, '_id'>[]>;
}

const spec: CollectionSpec = {
  name: 'campaigns',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'due', keys: { due_at: 1 }, where: { due_at: { $gte: 0 } } },
    { name: 'drafts', keys: { tenant_id: 1, _id: 1 }, where: { status: 'draft' } },
    { name: 'running', keys: { tenant_id: 1, _id: 1 }, where: { status: 'running' } },
    { name: 'open_resend', keys: { resend_of: 1 }, unique: true, where: { status: 'draft', resend_of: { $gte: '' } } },
    { name: 'paused', keys: { tenant_id: 1, _id: 1 }, where: { status: 'paused' } },
  ],
  arrays: ['zones'],
};

const AFTER = { returnDocument: 'after' } as const;

export function campaignsIn(store: Store): Campaigns {
  const campaigns: Collection<CampaignRow> = store.collection<CampaignRow>(spec);

  return {
    create: async (row) => void (await campaigns.insertOne(row)),
    find: (tenant_id, _id) => campaigns.findOne({ _id, tenant_id }),

    list: (tenant_id, { status, sessionIds }, page) =>
      campaigns.find(
        { tenant_id, ...(status !== undefined && { status }), ...(sessionIds && { session_id: { $in: sessionIds } }), ...after(page) },
        { sort: { created_at: -1, _id: -1 }, limit: page.limit },
      ),

    changeDraft: (tenant_id, _id, patch, asRead) =>
      campaigns.findOneAndUpdate({ _id, tenant_id, status: 'draft', ...asRead }, { $set: patch }, AFTER),

    async noteZones(tenant_id, _id, zones) {
      await campaigns.updateOne({ _id, tenant_id }, { $addToSet: { zones: { $each: zones } } });
    },

    noteListed: async (tenant_id, _id, count) =>
      (await campaigns.updateOne({ _id, tenant_id }, { $inc: { listed: count } })).matchedCount === 1,

    openResend: (tenant_id, campaignId) =>
      // The bound names the index.
      campaigns.findOne({ tenant_id, status: 'draft', resend_of: { $eq: campaignId, $gte: '' } }),

    async existing(tenant_id, ids) {
      if (ids.length === 0) return new Set();
      const found = await campaigns.find({ tenant_id, _id: { $in: ids } }, { projection: { _id: 1 } }).toArray();
      return new Set(found.map(({ _id }) => _id));
    },

    drafts: (tenant_id) => campaigns.find({ tenant_id, status: 'draft' }, { projection: { _id: 1, listed: 1 } }).toArray(),

    async countStarted(tenant_id, limit) {
      const count = (status: CampaignStatus): Promise<number> => campaigns.countDocuments({ tenant_id, status }, { limit });
      const [running, paused] = await Promise.all([count('running'), count('paused')]);
      return Math.min(running + paused, limit);
    },

    noteCounts: (tenant_id, _id, counts) => campaigns.findOneAndUpdate({ _id, tenant_id, status: 'draft' }, { $set: { ...counts } }, AFTER),

    async abandon(tenant_id, _id, now) {
      const { from, to } = campaignMove('cancelled', 'draft');
      return (
        (await campaigns.updateOne({ _id, tenant_id, ...from }, { $set: { ...to, completed_at: now, due_at: null } })).matchedCount === 1
      );
    },

    async remove(tenant_id, _id, statuses) {
      return (await campaigns.deleteOne({ _id, tenant_id, status: { $in: statuses } })).deletedCount === 1;
    },

    own: (tenant_id, _id, node) => campaigns.findOneAndUpdate({ _id, tenant_id }, { $inc: { epoch: 1 }, $set: { node } }, AFTER),

    move: ({ tenantId: tenant_id, campaignId: _id, epoch }, { from, to }, patch) =>
      campaigns.findOneAndUpdate({ _id, tenant_id, epoch, ...from }, { $set: { ...patch, ...to } }, AFTER),

    write: ({ tenantId: tenant_id, campaignId: _id, epoch }, status, patch) =>
      campaigns.findOneAndUpdate({ _id, tenant_id, epoch, status }, { $set: patch }, AFTER),

    due: (now) => campaigns.find({ due_at: { $gte: 0, $lte: now } }, { projection: { _id: 1, tenant_id: 1 } }).toArray(),

    async hurry(tenant_id, now) {
      await campaigns.updateMany({ tenant_id, status: 'running' }, { $set: { due_at: now } });
      return campaigns.find({ tenant_id, status: 'running' }, { projection: { _id: 1 } }).toArray();
    },
  };
}

function after({ before, beforeId }: CampaignPage): Filter {
  if (before === null) return {};
  return { created_at: { $lte: before }, $or: [{ created_at: { $lt: before } }, { _id: { $lt: beforeId ?? '' } }] };
}
