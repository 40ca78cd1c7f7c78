import { after, type Behaviour, type CoreEffect, reply, type Step, stop, unreachable } from '../../runtime/behaviour.ts';
import type { ClerkCommand, ClerkEffect, ClerkEvent, ClerkState } from './protocol.ts';

type ClerkStep = Step<ClerkState, ClerkEffect | CoreEffect<ClerkEvent>>;

const PAUSE_MS = 1_000;
/** Whoever asked it to rest ends it by then. */
const RESTED_MS = 20_000;

/** Does a tenant's long work, one chore after the other, step by step: what is not done is in the store. */
export const clerk: Behaviour<string, ClerkState, ClerkCommand, ClerkEvent, ClerkEffect> = {
  kind: 'clerk',

  start: () => begin({ work: 'none', resting: null }),

  handle(state, msg) {
    switch (msg.type) {
      case 'workArrived':
        if (state.work === 'none') return state.resting ? [state] : begin(state);
        return [{ ...state, work: state.work === 'step' ? 'again' : state.work }];
      case 'rest':
        return rest({ ...state, resting: msg.replyTo });
      case 'stepDone':
        return begin(state);
      case 'nothingLeft':
        return state.work === 'again' ? begin(state) : rest({ ...state, work: 'none' });
      case 'stepFailed':
        return rest({ ...state, work: 'paused' }, after('goOn', PAUSE_MS, { type: 'goOn' }));
      case 'goOn':
        return begin({ ...state, resting: null });
      case 'fenced':
        return [state, stop];
      default:
        return unreachable(msg);
    }
  },

  canSleep: ({ work }) => work === 'none',
};

function begin(state: ClerkState): ClerkStep {
  return state.resting ? rest({ ...state, work: 'none' }) : [{ ...state, work: 'step' }, { do: 'step' }];
}

/** Answers who waits for it to rest, once nothing is under way. Should nobody take over, it goes on. */
function rest(state: ClerkState, ...effects: readonly CoreEffect<ClerkEvent>[]): ClerkStep {
  const isUnderWay = state.work === 'step' || state.work === 'again';
  if (!state.resting || isUnderWay) return [state, ...effects];
  return [state, ...effects, reply(state.resting, null), after<ClerkEvent>('goOn', RESTED_MS, { type: 'goOn' })];
}
