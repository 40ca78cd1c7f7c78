import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { AuditDraft } from '../../store/audit/entry.ts';
import type { CampaignStatus } from '../../store/campaigns/campaign-status.ts';
import type { CampaignCounts, CampaignOwner, CampaignPatch, CampaignRow } from '../../store/campaigns/campaigns.ts';
import type { Move } from '../../store/patterns/transitions.ts';

/** Commands to a campaign. Orders are answered with the campaign after the change, or refused with CONFLICT. */
export type CampaignCommand =
  /** `audit`: the entry that the log gets of an order, with its write; null: none. `attestedAt`: when the sender confirmed that recipients agreed; null: not with this call. */
  | {
      readonly type: 'start';
      readonly attestedAt: number | null;
      readonly audit: AuditDraft | null;
      readonly replyTo: ReplyTo<CampaignRow>;
    }
  | { readonly type: 'pause'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  | { readonly type: 'resume'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  | { readonly type: 'cancel'; readonly audit: AuditDraft | null; readonly replyTo: ReplyTo<CampaignRow> }
  /** Something that it depends on changed: its messages, settings, a device. A hint: losing it costs time. */
  | { readonly type: 'poll' }
  /** It will run elsewhere: starts nothing more. Answered when nothing is under way. */
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

export type Order = Extract<CampaignCommand, { type: 'start' | 'pause' | 'resume' | 'cancel' }>;

/** Events of a campaign: results of its own effects and timers. */
export type CampaignEvent =
  | { readonly type: 'snapshotLoaded'; readonly snapshot: Snapshot }
  /** The order was carried out; null: its status does not allow it. */
  | { readonly type: 'commandApplied'; readonly row: CampaignRow | null }
  /** What it addresses was removed: nobody more is found. */
  | { readonly type: 'audienceGone'; readonly row: CampaignRow }
  /** An effect is over; `hasMoved` false: it could do nothing just now. `quotaRefused`: so many failed for want of quota. */
  | { readonly type: 'acted'; readonly hasMoved: boolean; readonly quotaRefused: number }
  | { readonly type: 'pollDue' }
  /** It is unknown which part of the last effect was done; all of it is in the store. */
  | { readonly type: 'storeFailed' }
  /** Another node owns it now, or may do so any moment. */
  | { readonly type: 'fenced' };

/** Where the send window stands for those who are still to be written to. */
export interface WindowNow {
  /** Zones with remaining recipients whose window is open; null: all are open. */
  readonly open: readonly string[] | null;
  /** When the first closed zone with remaining recipients opens; null: none is closed. */
  readonly opensAt: number | null;
  /** When the next open one closes; null: never. */
  readonly closesAt: number | null;
  /** Some that wait in a lane may not be sent any more. */
  readonly isOverrun: boolean;
}

/** The data that one look at the store loads. */
export interface Snapshot {
  readonly row: CampaignRow;
  /** Messages in lanes or on their way, counted up to the limit that was asked for. */
  readonly ahead: number;
  readonly hasPending: boolean;
  /** Why nothing can be sent until somebody acts; null: nothing blocks it. */
  readonly blocker: string | null;
  /** Some wait in the lane of a device with a trouble of its own, or taken out of the rotator, while others could take them. */
  readonly isStranded: boolean;
  /** All that is still out is on the way from devices with such a trouble: what it is. */
  readonly stuck: string | null;
  /** A draft that starts by itself: an attestation is required by now, and it has none. */
  readonly lacksAttestation: boolean;
  /** A draft that starts by itself: as many campaigns of its tenant are started as may be. */
  readonly lacksRoom: boolean;
  /** The device (one of the rotator's) is online. */
  readonly isReady: boolean;
  readonly window: WindowNow;
  /** The operator suspended its tenant: nothing more may leave until the tenant is reinstated. */
  readonly isSuspended: boolean;
  /** Counted where that was asked for. */
  readonly counts: CampaignCounts | null;
}

/** The latest outcomes; the oldest ones drop out. */
export interface Trend {
  readonly sent: number;
  readonly failed: number;
  readonly steps: readonly { readonly sent: number; readonly failed: number }[];
}

export interface CampaignState {
  readonly owner: CampaignOwner;
  readonly phase: 'idle' | 'loading' | 'applying' | 'acting';
  /** Look again as soon as nothing is under way. */
  readonly again: boolean;
  readonly orders: readonly Order[];
  /** How many messages it keeps in lanes: more where lanes run dry. */
  readonly depth: number;
  readonly trend: Trend;
  /**
   * Failed for want of quota since the last count: that says nothing about numbers and device. null: unknown, since another incarnation or an effect
   * that failed had a part in it.
   */
  readonly quotaRefused: number | null;
  readonly countedAt: number;
  /** When messages were last compared with recipients: a hint may have been lost. */
  readonly comparedAt: number;
  /** It has filled its lanes before: empty ones ran dry. */
  readonly hasFilled: boolean;
  /** It has nothing to do until a command arrives, or until its time in the store. */
  readonly isOver: boolean;
  readonly draining: ReplyTo<null> | null;
}

/** A move to another status, with the fields that change with it. */
export interface StatusChange {
  readonly move: Move<CampaignStatus> & { readonly from: Partial<Pick<CampaignRow, 'scheduled_at'>> };
  readonly patch: CampaignPatch;
}

export type CampaignEffect =
  | { readonly do: 'loadSnapshot'; readonly count: boolean; readonly compare: boolean; readonly upTo: number }
  /** What an order changes. */
  | { readonly do: 'applyCommand'; readonly change: StatusChange; readonly audit: AuditDraft | null }
  /** `isFinal`: no recipient is left without an outcome, and the counts are written together with the status. */
  | { readonly do: 'changeStatus'; readonly change: StatusChange; readonly isFinal: boolean }
  /** Changes fields while it stays in this status. */
  | { readonly do: 'save'; readonly status: CampaignStatus; readonly patch: CampaignPatch }
  /** Reads the next ones of its audience. */
  | { readonly do: 'gather'; readonly row: CampaignRow }
  /** Puts messages into lanes. `zones`: only of these; null: of all. */
  | { readonly do: 'release'; readonly row: CampaignRow; readonly limit: number; readonly zones: readonly string[] | null }
  /** Waits until then for the window. */
  | { readonly do: 'wait'; readonly until: number }
  /** Takes back messages that wait although their window closed, or although their device cannot send. */
  | { readonly do: 'takeBack'; readonly row: CampaignRow }
  /** It does not run (any more): empties its lanes and lets it sleep. */
  | { readonly do: 'conclude'; readonly row: CampaignRow };

/** Rows of recipients and lanes know no epoch of their campaign. */
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
