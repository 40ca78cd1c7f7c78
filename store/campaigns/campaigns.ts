/**
 * Campaigns, in the collection `campaigns`. The owner of a campaign's actor writes with its
 * ownership epoch, so that a former owner's write does not match the row. Status changes follow
 * `CAMPAIGN_TRANSITIONS`.
 */

import type { OfficialTemplate } from '../contacts/labels.ts';
import type { MediaFacts } from '../messaging/messages.ts';
import type { Move } from '../patterns/transitions.ts';
import type { Collection, CollectionSpec, Filter, Store } from '../port.ts';
import { type CampaignStatus, campaignMove } from './campaign-status.ts';

export type CampaignType = 'text' | 'image' | 'document' | 'audio' | 'video' | 'sticker';

export interface Audience {
  readonly by: 'segment_id' | 'tag' | 'tags' | 'group_id' | 'all_contacts';
  /** An id. For a tag, its name when it was chosen; for several tags or all contacts, ''. */
  readonly value: string;
  readonly tag_id?: string;
  readonly tag_ids?: readonly string[];
}

/** `total` does not include invalid recipients. */
export interface CampaignCounts {
  readonly total_recipients: number;
  readonly sent_count: number;
  readonly failed_count: number;
  readonly skipped_count: number;
  readonly delivered_count?: number;
  readonly read_count?: number;
  /** Number of recipients who replied within 72 hours and did not withdraw their consent. */
  readonly replied_count?: number;
  readonly opted_out_count?: number;
  readonly skipped?: Readonly<Record<string, number>>;
}

export interface PlatformFailures {
  readonly template: number;
  readonly unreachable: number;
  readonly outcomes: number;
}

/** The variables' values may contain placeholders, which are filled in for each recipient. */
export interface CampaignTemplate extends Pick<OfficialTemplate, 'waba_id' | 'name' | 'language' | 'category' | 'components'> {
  readonly variables: readonly { readonly name: string; readonly value: string }[];
}

export interface CampaignRow extends CampaignCounts {
  readonly _id: string;
  readonly tenant_id: string;
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
  /** The vendor's template as it was when selected; absent or null if `body` is our own text. */
  readonly official?: CampaignTemplate | null;
  readonly audience: Audience | null;
  readonly exclude_tag_ids?: readonly string[];
  readonly skip_if_messaged_within_hours?: number | null;
  /** The campaign whose failed messages (see `resend_reasons`) this campaign sends again. */
  readonly resend_of?: string;
  readonly resend_reasons?: readonly string[];
  /** Id of the last contact read; null once all contacts have been read. */
  readonly gathering: string | null;
  readonly listed?: number;
  readonly zones: readonly string[];
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly consent_attested_at: number | null;
  readonly scheduled_at: number | null;
  readonly resumes_at: number | null;
  readonly pause_reason: string | null;
  readonly failures_seen?: PlatformFailures;
  readonly error: string | null;
  /** Incremented each time the owner changes. A write with an older epoch does not match. */
  readonly epoch: number;
  readonly node: string | null;
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
  /** Returns null if the campaign is no longer a draft, because its actor then does the counting. */
  noteCounts(tenantId: string, campaignId: string, counts: CampaignCounts): Promise<CampaignRow | null>;
  abandon(tenantId: string, campaignId: string, now: number): Promise<boolean>;
  remove(tenantId: string, campaignId: string, statuses: readonly CampaignStatus[]): Promise<boolean>;
  own(tenantId: string, campaignId: string, node: string): Promise<CampaignRow | null>;
  /** Returns null if the row is fenced or removed, or its current status does not allow the transition. */
  move(owner: CampaignOwner, move: Move<CampaignStatus>, patch: CampaignPatch): Promise<CampaignRow | null>;
  write(owner: CampaignOwner, status: CampaignStatus, patch: CampaignPatch): Promise<CampaignRow | null>;
  /** Returns all due campaigns, because under a limit running campaigns could crowd out the others. */
  due(now: number): Promise<Pick<CampaignRow, '_id' | 'tenant_id'>[]>;
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

    openResend: (tenant_id, campaignId) => campaigns.findOne({ tenant_id, status: 'draft', resend_of: { $eq: campaignId, $gte: '' } }),

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
