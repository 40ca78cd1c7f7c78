import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';

export type JobsCommand = { readonly type: 'workArrived' } | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

export type JobsEvent =
  | { readonly type: 'stepDone' }
  | { readonly type: 'nothingLeft' }
  | { readonly type: 'stepFailed' }
  | { readonly type: 'goOn' }
  | { readonly type: 'fenced' };

export interface JobsState {
  readonly work: 'none' | 'step' | 'again' | 'paused';
  readonly draining: ReplyTo<null> | null;
}

export type JobsEffect = { readonly do: 'step' };

/** Steps are `network` effects, because a step of a job may fetch a web page. */
export const JOBS_EFFECTS: EffectScopes<JobsEffect> = { step: 'network' };
