import type { ReplyTo } from '../../runtime/behaviour.ts';

/** What the rest of the system may say to a clerk. */
export type ClerkCommand =
  /** A hint: the chore is in the store. */
  | { readonly type: 'workArrived' }
  /** It will run elsewhere: begins no more steps. Answered when none is under way. */
  | { readonly type: 'rest'; readonly replyTo: ReplyTo<null> };

/** What a clerk hears of its own work and timers. */
export type ClerkEvent =
  /** A step is stored, and there may be another one. */
  | { readonly type: 'stepDone' }
  | { readonly type: 'nothingLeft' }
  /** The step is still to be done. */
  | { readonly type: 'stepFailed' }
  | { readonly type: 'goOn' }
  /** Another node owns this clerk now, or may do so any moment. */
  | { readonly type: 'fenced' };

export interface ClerkState {
  /** `again`: more came while a step was under way. */
  readonly work: 'none' | 'step' | 'again' | 'paused';
  readonly resting: ReplyTo<null> | null;
}

export type ClerkEffect = { readonly do: 'step' };
