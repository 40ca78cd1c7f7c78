import type { OfficialTemplate } from '../contacts/labels.ts';
import type { MediaFacts } from '../messaging/messages.ts';
import type { Move } from '../patterns/transitions.ts';
import type { Collection, CollectionSpec, Filter, Store } from '../port.ts';
import { type CampaignStatus, campaignMove } from './campaign-status.ts';

export type CampaignType = 'text' | 'image' | 'document' | 'audio' | 'video' | 'sticker';

/** The recipients of a campaign other than the listed ones, looked up when it starts. */
export interface Audience {
  readonly by: 'segment_id' | 'tag' | 'tags' | 'group_id' | 'all_contacts';
  /** An id; for a tag its name at that time; '' for several tags and all contacts. */
  readonly value: string;
  /** Id of the tag; absent in drafts of earlier versions. */
  readonly tag_id?: string;
  /** Ids of several tags: contacts with any of them. */
  readonly tag_ids?: readonly string[];
}

/** Recipients by state. `total` excludes invalid ones. */
export interface CampaignCounts {
  readonly total_recipients: number;
  /** Includes delivered and read. */
  readonly sent_count: number;
  readonly failed_count: number;
  readonly skipped_count: number;
  /** Includes read. Absent, like the fields below, in rows of earlier versions. */
  readonly delivered_count?: number;
  readonly read_count?: number;
  /** Recipients who replied within 72 hours or withdrew consent instead. */
  readonly replied_count?: number;
  readonly opted_out_count?: number;
  /** Number of skipped recipients by reason, including invalid ones. */
  readonly skipped?: Readonly<Record<string, number>>;
}

/** Message counts of a campaign: failed because of its template, unreachable, and all with an outcome. */
export interface PlatformFailures {
  readonly template: number;
  readonly unreachable: number;
  readonly outcomes: number;
}

/** A template of the vendor's platform. The values of its variables may contain tokens. */
export interface CampaignTemplate extends Pick<OfficialTemplate, 'waba_id' | 'name' | 'language' | 'category' | 'components'> {
  readonly variables: readonly { readonly name: string; readonly value: string }[];
}

/** One campaign. Times are epoch ms. */
export interface CampaignRow extends CampaignCounts {
  readonly _id: string;
  readonly tenant_id: string;
  /** The sending device; null if a rotator chooses. */
  readonly session_id: string | null;
  readonly rotator_id: string | null;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly message_type: CampaignType;
  readonly body: string | null;
  readonly template_id: string | null;
  readonly media_r2_key: string | null;
  readonly media: MediaFacts | null;
  readonly caption: string | null;
  /** The vendor's template when the draft selected it; absent or null if `body` is our own text. */
  readonly official?: CampaignTemplate | null;
  readonly audience: Audience | null;
  /** People with one of these tags are excluded; absent to exclude none. */
  readonly exclude_tag_ids?: readonly string[];
  /** People messaged by the tenant within this many hours are excluded; absent or null to include them. */
  readonly skip_if_messaged_within_hours?: number | null;
  /** The campaign whose failures (for `resend_reasons`) this campaign resends; absent if it is not a resend. */
  readonly resend_of?: string;
  readonly resend_reasons?: readonly string[];
  /** Progress of reading the audience: id of the last contact; null if all contacts have been read. */
  readonly gathering: string | null;
  /** Number of listed recipients, including invalid ones; absent if the request did not list any. */
  readonly listed?: number;
  /** Time zones of the recipients, for send windows in the recipient's zone. */
  readonly zones: readonly string[];
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly consent_attested_at: number | null;
  readonly scheduled_at: number | null;
  readonly resumes_at: number | null;
  readonly pause_reason: string | null;
  /** Failures on the official platform when the campaign was last resumed; absent if never resumed. */
  readonly failures_seen?: PlatformFailures;
  readonly error: string | null;
  /** Incremented each time the owner changes: a write with an older epoch does not match the row. */
  readonly epoch: number;
  readonly node: string | null;
  /** When the campaign's actor has work; null if nothing is scheduled. */
  readonly due_at: number | null;
}

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

export type CampaignContent = Pick<CampaignRow, 'message_type' | 'body' | 'template_id' | 'media_r2_key' | 'caption'>;

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
    | 'failures_seen'
    | 'error'
    | 'due_at'
    | keyof CampaignCounts
  >
>;

/** Identifies the owner in each write, by the epoch at which it took ownership. */
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

/**
 * Campaigns, in the collection `campaigns`. The owner of a campaign's actor writes with the epoch
 * of its ownership, so that a former owner's write does not match the row. Status changes follow
 * `CAMPAIGN_TRANSITIONS`.
 */
export interface Campaigns {
  create(row: CampaignRow): Promise<void>;
  find(tenantId: string, campaignId: string): Promise<CampaignRow | null>;
  /** Newest first; `sessionIds` narrows to those devices (a restricted key). */
  list(
    tenantId: string,
    filter: { readonly status?: CampaignStatus; readonly sessionIds?: readonly string[] },
    page: CampaignPage,
  ): AsyncIterable<CampaignRow>;
  /** Returns null if the campaign is not a draft or its content differs from `asRead`. */
  changeDraft(
    tenantId: string,
    campaignId: string,
    patch: Partial<CampaignDraft>,
    asRead?: Partial<CampaignContent>,
  ): Promise<CampaignRow | null>;
  noteZones(tenantId: string, campaignId: string, zones: readonly string[]): Promise<void>;
  noteListed(tenantId: string, campaignId: string, count: number): Promise<boolean>;
  openResend(tenantId: string, campaignId: string): Promise<CampaignRow | null>;
  existing(tenantId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  drafts(tenantId: string): Promise<readonly Pick<CampaignRow, '_id' | 'listed'>[]>;
  countStarted(tenantId: string, limit: number): Promise<number>;
  /** Stores a draft's counts. Returns null if it is no longer a draft, because its actor then counts. */
  noteCounts(tenantId: string, campaignId: string, counts: CampaignCounts): Promise<CampaignRow | null>;
  /** Cancels a draft without notification. Returns false if it is not a draft. */
  abandon(tenantId: string, campaignId: string, now: number): Promise<boolean>;
  remove(tenantId: string, campaignId: string, statuses: readonly CampaignStatus[]): Promise<boolean>;
  /** Takes ownership for `node` and increments the epoch. Returns null if the campaign does not exist. */
  own(tenantId: string, campaignId: string, node: string): Promise<CampaignRow | null>;
  /** Returns null if fenced, removed, or not allowed in the current status. */
  move(owner: CampaignOwner, move: Move<CampaignStatus>, patch: CampaignPatch): Promise<CampaignRow | null>;
  /** Writes for the owner. Returns null if fenced, removed, or in another status. */
  write(owner: CampaignOwner, status: CampaignStatus, patch: CampaignPatch): Promise<CampaignRow | null>;
  /** Returns all due campaigns. No limit, because running campaigns would crowd out others. */
  due(now: number): Promise<Pick<CampaignRow, '_id' | 'tenant_id'>[]>;
  /** Makes the tenant's running campaigns due now, after a change to its settings or a device. */
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
      // The lower bound selects the index.
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
