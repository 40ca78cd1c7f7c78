import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { AuditDraft } from '../../store/audit/entry.ts';
import type { CampaignStatus } from '../../store/campaigns/campaign-status.ts';
import type { CampaignCounts, CampaignOwner, CampaignPatch, CampaignRow } from '../../store/campaigns/campaigns.ts';
import type { Move } from '../../store/patterns/transitions.ts';

export type CampaignCommand =
  | {
      readonly type: 'start';
      readonly attestedAt: number | null;
      readonly audit: AuditDraft | null;
      readonly replyTo: ReplyTo<CampaignRow>;
    }
  | { readonly type: 'pause'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  | { readonly type: 'resume'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  | { readonly type: 'cancel'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  | { readonly type: 'poll' }
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

export type Order = Extract<CampaignCommand, { type: 'start' | 'pause' | 'resume' | 'cancel' }>;

export type CampaignEvent =
  | { readonly type: 'snapshotLoaded'; readonly snapshot: Snapshot }
  /** `row` is null if the command is not allowed in the campaign's current status. */
  | { readonly type: 'commandApplied'; readonly row: CampaignRow | null }
  | { readonly type: 'audienceGone'; readonly row: CampaignRow }
  | { readonly type: 'acted'; readonly hasMoved: boolean; readonly quotaRefused: number }
  | { readonly type: 'pollDue' }
  /** A write failed. The next snapshot shows which part of the last effect was carried out. */
  | { readonly type: 'storeFailed' }
  | { readonly type: 'fenced' };

export interface WindowNow {
  readonly open: readonly string[] | null;
  readonly opensAt: number | null;
  readonly closesAt: number | null;
  readonly isOverrun: boolean;
}

export interface Snapshot {
  readonly row: CampaignRow;
  readonly ahead: number;
  readonly hasPending: boolean;
  readonly blocker: string | null;
  readonly isStranded: boolean;
  readonly stuck: string | null;
  readonly lacksAttestation: boolean;
  readonly lacksRoom: boolean;
  readonly isReady: boolean;
  readonly window: WindowNow;
  readonly isSuspended: boolean;
  readonly counts: CampaignCounts | null;
}

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
  readonly depth: number;
  readonly trend: Trend;
  /** Messages refused by the quota since the last count. Null until this actor's first count. */
  readonly quotaRefused: number | null;
  readonly countedAt: number;
  readonly comparedAt: number;
  /** Whether messages were ever queued. Only then do empty queues mean that everything was sent. */
  readonly hasFilled: boolean;
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
  | { readonly do: 'changeStatus'; readonly change: StatusChange; readonly isFinal: boolean }
  | { readonly do: 'save'; readonly status: CampaignStatus; readonly patch: CampaignPatch }
  | { readonly do: 'gather'; readonly row: CampaignRow }
  | { readonly do: 'release'; readonly row: CampaignRow; readonly limit: number; readonly zones: readonly string[] | null }
  | { readonly do: 'wait'; readonly until: number }
  | { readonly do: 'takeBack'; readonly row: CampaignRow }
  | { readonly do: 'conclude'; readonly row: CampaignRow };

/** All effects are `guarded`, because recipients and queued messages lack the campaign's fencing epoch. */
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
