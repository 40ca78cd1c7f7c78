import { after, type Behaviour, type CoreEffect, reply, type Step, stop, unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { JobsCommand, JobsEffect, JobsEvent, JobsState } from '../protocol.ts';

type JobsStep = Step<JobsState, JobsEffect | CoreEffect<JobsEvent>>;

const PAUSE_MS = 1_000;
const DRAINED_MS = 20_000;

/** Runs a tenant's long jobs one after another. Unfinished work stays in the store. */
export const jobs: Behaviour<string, JobsState, JobsCommand, JobsEvent, JobsEffect> = {
  kind: 'jobs',

  start: () => begin({ work: 'none', draining: null }),

  handle(state, msg) {
    switch (msg.type) {
      case 'workArrived':
        if (state.work === 'none') return state.draining ? [state] : begin(state);
        return [{ ...state, work: state.work === 'step' ? 'again' : state.work }];
      case 'drain':
        return drain({ ...state, draining: msg.replyTo });
      case 'stepDone':
        return begin(state);
      case 'nothingLeft':
        return state.work === 'again' ? begin(state) : drain({ ...state, work: 'none' });
      case 'stepFailed':
        return drain({ ...state, work: 'paused' }, after('goOn', PAUSE_MS, { type: 'goOn' }));
      case 'goOn':
        return begin({ ...state, draining: null });
      case 'fenced':
        return [state, stop];
      default:
        return unreachable(msg);
    }
  },

  canSleep: ({ work }) => work === 'none',
};

function begin(state: JobsState): JobsStep {
  return state.draining ? drain({ ...state, work: 'none' }) : [{ ...state, work: 'step' }, { do: 'step' }];
}

function drain(state: JobsState, ...effects: readonly CoreEffect<JobsEvent>[]): JobsStep {
  const isUnderWay = state.work === 'step' || state.work === 'again';
  if (!state.draining || isUnderWay) return [state, ...effects];
  return [state, ...effects, reply(state.draining, null), after<JobsEvent>('goOn', DRAINED_MS, { type: 'goOn' })];
}
