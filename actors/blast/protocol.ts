import type { ReplyTo } from '../../runtime/behaviour.ts';
import type { BlastCounts, BlastOwner, BlastRow } from '../../store/blasts.ts';

/** What the rest of the system may say to a campaign. Orders are answered with the campaign as it is then, or refused with CONFLICT (api.md "State machines"). */
export type BlastCommand =
  /** `attestedAt`: when the sender confirmed that recipients agreed; null: not with this call. */
  | { readonly type: 'start'; readonly attestedAt: number | null; readonly replyTo: ReplyTo<BlastRow> }
  | { readonly type: 'pause'; readonly replyTo: ReplyTo<BlastRow> }
  | { readonly type: 'resume'; readonly replyTo: ReplyTo<BlastRow> }
  | { readonly type: 'cancel'; readonly replyTo: ReplyTo<BlastRow> }
  /** Something that it depends on changed: its messages, settings, a device. A hint: losing it costs time. */
  | { readonly type: 'look' }
  /** It will run elsewhere: starts nothing more. Answered when nothing is under way. */
  | { readonly type: 'rest'; readonly replyTo: ReplyTo<null> };

export type Order = Extract<BlastCommand, { type: 'start' | 'pause' | 'resume' | 'cancel' }>;

/** What a campaign hears of its own effects and timers. */
export type BlastEvent =
  | { readonly type: 'surveyed'; readonly survey: Survey }
  /** The order was carried out; null: its status does not allow it. */
  | { readonly type: 'obeyed'; readonly row: BlastRow | null }
  /** An action is over; `hasMoved` false: it could do nothing just now. */
  | { readonly type: 'acted'; readonly hasMoved: boolean }
  | { readonly type: 'lookDue' }
  /** Nobody knows what of the last effect was done; all of it is in the store. */
  | { readonly type: 'storeFailed' }
  /** Another node owns it now, or may do so any moment. */
  | { readonly type: 'fenced' };

/** Where the send window stands for those who are still to be written to (spec.md convention 7). */
export interface WindowNow {
  /** Zones with somebody to write to now; null: all are open. */
  readonly open: readonly string[] | null;
  /** When the first closed one with somebody to write to opens; null: none is closed. */
  readonly opensAt: number | null;
  /** When the next open one closes; null: never. */
  readonly closesAt: number | null;
  /** Some that wait in a lane may not be sent any more. */
  readonly isOverrun: boolean;
}

/** What a look at the store found. */
export interface Survey {
  readonly row: BlastRow;
  /** Messages in lanes or on their way, counted up to the limit that was asked for. */
  readonly ahead: number;
  readonly hasPending: boolean;
  /** Why nothing can be sent, so that somebody has to see to it; null: nothing keeps it. */
  readonly trouble: string | null;
  /** Some wait in the lane of a device with a trouble of its own, while others could take them. */
  readonly isStranded: boolean;
  /** All that is still out is on the way from devices with such a trouble: what it is. */
  readonly stuck: string | null;
  /** The device (one of the rotator's) is online. */
  readonly isReady: boolean;
  readonly window: WindowNow;
  /** Counted where that was asked for. */
  readonly counts: BlastCounts | null;
}

/** What became of the last messages: the oldest looks fall out. */
export interface Trend {
  readonly sent: number;
  readonly failed: number;
  readonly steps: readonly { readonly sent: number; readonly failed: number }[];
}

export interface BlastState {
  readonly owner: BlastOwner;
  readonly phase: 'idle' | 'surveying' | 'obeying' | 'acting';
  /** Look again as soon as nothing is under way. */
  readonly again: boolean;
  readonly orders: readonly Order[];
  /** How many messages it keeps in lanes: more where lanes run dry. */
  readonly depth: number;
  readonly trend: Trend;
  readonly countedAt: number;
  /** When messages were last compared with recipients: a hint may have been lost. */
  readonly comparedAt: number;
  /** It has filled its lanes before: empty ones ran dry. */
  readonly hasFilled: boolean;
  /** It has nothing to do until somebody says so, or until its time in the store. */
  readonly isOver: boolean;
  readonly resting: ReplyTo<null> | null;
}

/** What a campaign does next. */
export type Action =
  /** Its time has come. */
  | { readonly act: 'begin' }
  /** Reads the next ones of its audience. */
  | { readonly act: 'gather' }
  /** Puts messages into lanes. `zones`: of whom; null: of anybody. */
  | { readonly act: 'release'; readonly limit: number; readonly zones: readonly string[] | null }
  /** Waits until then for the window. */
  | { readonly act: 'wait'; readonly until: number }
  /** Takes back what waits in lanes though its window closed, or its device cannot send. */
  | { readonly act: 'clear' }
  | { readonly act: 'pause'; readonly reason: string }
  | { readonly act: 'complete' }
  | { readonly act: 'fail'; readonly error: string }
  /** It does not run (any more): empties its lanes and lets it sleep. */
  | { readonly act: 'conclude' };

export type BlastEffect =
  | { readonly do: 'survey'; readonly count: boolean; readonly compare: boolean; readonly upTo: number }
  | { readonly do: 'obey'; readonly order: Order['type']; readonly attestedAt: number | null }
  | { readonly do: 'act'; readonly action: Action; readonly row: BlastRow };
