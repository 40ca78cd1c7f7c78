import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { AuditDraft } from '../../store/audit/entry.ts';
import type { CampaignStatus } from '../../store/campaigns/campaign-status.ts';
import type { CampaignCounts, CampaignOwner, CampaignPatch, CampaignRow } from '../../store/campaigns/campaigns.ts';
import type { Move } from '../../store/patterns/transitions.ts';

export type CampaignCommand =
  /** `audit`: written together with the order. `attestedAt`: null if this call does not attest consent. */
  | {
      readonly type: 'start';
      readonly attestedAt: number | null;
      readonly audit: AuditDraft | null;
      readonly replyTo: ReplyTo<CampaignRow>;
    }
  | { readonly type: 'pause'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  | { readonly type: 'resume'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  | { readonly type: 'cancel'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  /** A hint that the campaign's messages, its settings or a device changed; a lost hint only causes a delay. */
  | { readonly type: 'poll' }
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

export type Order = Extract<CampaignCommand, { type: 'start' | 'pause' | 'resume' | 'cancel' }>;

export type CampaignEvent =
  | { readonly type: 'snapshotLoaded'; readonly snapshot: Snapshot }
  /** The order was carried out; null when the campaign's status does not allow it. */
  | { readonly type: 'commandApplied'; readonly row: CampaignRow | null }
  | { readonly type: 'audienceGone'; readonly row: CampaignRow }
  /** `hasMoved`: false if the effect could not do anything yet. `quotaRefused`: number of messages without quota. */
  | { readonly type: 'acted'; readonly hasMoved: boolean; readonly quotaRefused: number }
  | { readonly type: 'pollDue' }
  /** A store error: it is unknown which part of the last effect was carried out; the next snapshot shows it. */
  | { readonly type: 'storeFailed' }
  /** Another node owns this campaign, or may take it at any moment. */
  | { readonly type: 'fenced' };

export interface WindowNow {
  /** Zones with remaining recipients whose window is open; null when all are open. */
  readonly open: readonly string[] | null;
  /** When the first closed zone with remaining recipients opens, epoch ms; null when all zones are open. */
  readonly opensAt: number | null;
  /** When the next open zone closes, epoch ms; null if no zone ever closes. */
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
  /** Whether messages wait on a device that has trouble or left the rotator while other devices could send them. */
  readonly isStranded: boolean;
  /** The trouble of such devices, if all outstanding messages are being sent by them; null otherwise. */
  readonly stuck: string | null;
  readonly lacksAttestation: boolean;
  /** Whether a scheduled draft cannot start because the tenant's limit of started campaigns is reached. */
  readonly lacksRoom: boolean;
  readonly isReady: boolean;
  readonly window: WindowNow;
  /** Whether the tenant is suspended; messages are then not sent until it is reinstated. */
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
  /** Whether the campaign has nothing to do until a command arrives or its stored due time is reached. */
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
  /** For a campaign that is not running: empties its lanes and lets the actor sleep. */
  | { readonly do: 'conclude'; readonly row: CampaignRow };

/** All effects are guarded by the lease, because recipient and lane rows do not carry their campaign's epoch. */
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
