import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';

/** Commands to a job runner. */
export type JobsCommand =
  /** A hint: the job is in the store. */
  | { readonly type: 'workArrived' }
  /** It will run elsewhere: begins no more steps. Answered when none is under way. */
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

/** Events of a job runner: results of its own work and timers. */
export type JobsEvent =
  /** A step is stored, and there may be another one. */
  | { readonly type: 'stepDone' }
  | { readonly type: 'nothingLeft' }
  /** The step is still to be done. */
  | { readonly type: 'stepFailed' }
  | { readonly type: 'goOn' }
  /** Another node owns this job runner now, or may do so any moment. */
  | { readonly type: 'fenced' };

export interface JobsState {
  /** `again`: more came while a step was under way. */
  readonly work: 'none' | 'step' | 'again' | 'paused';
  readonly draining: ReplyTo<null> | null;
}

export type JobsEffect = { readonly do: 'step' };

/** A job may read a page of the web. */
export const JOBS_EFFECTS: EffectScopes<JobsEffect> = { step: 'network' };
