import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { AuditDraft } from '../../store/audit/entry.ts';
import type { CampaignStatus } from '../../store/campaigns/campaign-status.ts';
import type { CampaignCounts, CampaignOwner, CampaignPatch, CampaignRow } from '../../store/campaigns/campaigns.ts';
import type { Move } from '../../store/patterns/transitions.ts';

export type CampaignCommand =
  /** `audit`: written together with the order. `attestedAt`: null when not with this call. */
  | {
      readonly type: 'start';
      readonly attestedAt: number | null;
      readonly audit: AuditDraft | null;
      readonly replyTo: ReplyTo<CampaignRow>;
    }
  | { readonly type: 'pause'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  | { readonly type: 'resume'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  | { readonly type: 'cancel'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  /** A hint that its messages, its settings or a device changed. Losing it only costs time. */
  | { readonly type: 'poll' }
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

export type Order = Extract<CampaignCommand, { type: 'start' | 'pause' | 'resume' | 'cancel' }>;

export type CampaignEvent =
  | { readonly type: 'snapshotLoaded'; readonly snapshot: Snapshot }
  /** The order was carried out; null when the campaign's status does not allow it. */
  | { readonly type: 'commandApplied'; readonly row: CampaignRow | null }
  | { readonly type: 'audienceGone'; readonly row: CampaignRow }
  /** `hasMoved`: false when the effect could do nothing now. `quotaRefused`: a number of messages. */
  | { readonly type: 'acted'; readonly hasMoved: boolean; readonly quotaRefused: number }
  | { readonly type: 'pollDue' }
  /** A store error: it is unknown which part of the last effect was done; all of it is in the store. */
  | { readonly type: 'storeFailed' }
  /** Another node owns this campaign, or may take it at any moment. */
  | { readonly type: 'fenced' };

export interface WindowNow {
  /** Zones with remaining recipients whose window is open; null when all are open. */
  readonly open: readonly string[] | null;
  /** When the first closed zone with remaining recipients opens, epoch ms; null when none is closed. */
  readonly opensAt: number | null;
  /** When the next open zone closes, epoch ms; null when never. */
  readonly closesAt: number | null;
  /** Whether messages still in a lane may no longer be sent. */
  readonly isOverrun: boolean;
}

export interface Snapshot {
  readonly row: CampaignRow;
  /** Messages in lanes or on the way, counted up to the requested limit. */
  readonly ahead: number;
  readonly hasPending: boolean;
  /** Why nothing can be sent until a user acts; null when nothing blocks the campaign. */
  readonly blocker: string | null;
  /** Messages wait on a device that has trouble or left the rotator, while others could send them. */
  readonly isStranded: boolean;
  /** The trouble, when all outstanding messages are on the way from such devices; null otherwise. */
  readonly stuck: string | null;
  readonly lacksAttestation: boolean;
  /** Whether a scheduled draft cannot start because the tenant's limit of started campaigns is reached. */
  readonly lacksRoom: boolean;
  readonly isReady: boolean;
  readonly window: WindowNow;
  /** No more messages may be sent until the tenant is reinstated. */
  readonly isSuspended: boolean;
  readonly counts: CampaignCounts | null;
}

/** The latest outcomes; the oldest ones are dropped. */
export interface Trend {
  readonly sent: number;
  readonly failed: number;
  readonly steps: readonly { readonly sent: number; readonly failed: number }[];
}

export interface CampaignState {
  readonly owner: CampaignOwner;
  readonly phase: 'idle' | 'loading' | 'applying' | 'acting';
  readonly again: boolean;
  readonly orders: readonly Order[];
  /** Number of messages kept in lanes; grows when lanes run dry. */
  readonly depth: number;
  readonly trend: Trend;
  /** Quota refusals since the last count; null when another incarnation or a failed effect contributed. */
  readonly quotaRefused: number | null;
  readonly countedAt: number;
  /** When messages were last compared with recipients, because hints may be lost. */
  readonly comparedAt: number;
  /** Whether the lanes were filled before, so that empty lanes mean that they ran dry. */
  readonly hasFilled: boolean;
  /** Nothing to do until a command arrives or its stored time comes. */
  readonly isOver: boolean;
  readonly draining: ReplyTo<null> | null;
}

export interface StatusChange {
  readonly move: Move<CampaignStatus> & { readonly from: Partial<Pick<CampaignRow, 'scheduled_at'>> };
  readonly patch: CampaignPatch;
}

export type CampaignEffect =
  | { readonly do: 'loadSnapshot'; readonly count: boolean; readonly compare: boolean; readonly upTo: number }
  | { readonly do: 'applyCommand'; readonly change: StatusChange; readonly audit: AuditDraft | null }
  /** `isFinal`: whether every recipient has an outcome, so that the counts are written together with the status. */
  | { readonly do: 'changeStatus'; readonly change: StatusChange; readonly isFinal: boolean }
  | { readonly do: 'save'; readonly status: CampaignStatus; readonly patch: CampaignPatch }
  | { readonly do: 'gather'; readonly row: CampaignRow }
  | { readonly do: 'release'; readonly row: CampaignRow; readonly limit: number; readonly zones: readonly string[] | null }
  | { readonly do: 'wait'; readonly until: number }
  | { readonly do: 'takeBack'; readonly row: CampaignRow }
  /** The campaign does not run or no longer runs: empties its lanes and lets it sleep. */
  | { readonly do: 'conclude'; readonly row: CampaignRow };

/** All effects are guarded by the lease, because rows of recipients and lanes carry no epoch of their campaign. */
export const CAMPAIGN_EFFECTS: EffectScopes<CampaignEffect> = {
  loadSnapshot: 'guarded',
  applyCommand: 'guarded',
  changeStatus: 'guarded',
  save: 'guarded',
  gather: 'guarded',
  release: 'guarded',
  wait: 'guarded',
  takeBack: 'guarded',
  conclude: 'guarded',
};
