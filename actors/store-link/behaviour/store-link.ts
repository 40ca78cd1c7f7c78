import { after, type Behaviour, type CoreEffect, reply, type Step, stop, unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { StoreLinkOwner } from '../../../store/store-links/links.ts';
import type { Outcome, StoreLinkCommand, StoreLinkEffect, StoreLinkEvent, StoreLinkState, Work } from '../protocol.ts';
import { decide } from './decide.ts';

type StoreLinkStep = Step<StoreLinkState, StoreLinkEffect | CoreEffect<StoreLinkEvent>>;

const RETRY_MS = 1_000;

/**
 * One connected store. Its webhooks wait in the database; it takes one after the other in the order in which they came.
 *
 *     idle ──hookArrived──▶ loading ──loaded──▶ applying ──applied──▶ loading … ──nothing waits──▶ idle
 *                              └── storeFailed, keyAwaited ────┴──▶ backingOff ──retryDue──▶ loading
 */
export const storeLink: Behaviour<StoreLinkOwner, StoreLinkState, StoreLinkCommand, StoreLinkEvent, StoreLinkEffect> = {
  kind: 'store-link',

  start: (owner) => load({ owner, phase: 'idle', again: false, asked: new Map(), draining: null }),

  handle(state, msg) {
    switch (msg.type) {
      case 'hookArrived':
        return load({ ...state, again: true, asked: new Map([...state.asked, [msg.hookId, msg.replyTo]]) });
      case 'drain':
        return load({ ...state, draining: msg.replyTo });
      case 'loaded':
        return msg.work ? apply(state, msg.work) : nothingWaits(state);
      case 'applied':
        return answered({ ...state, phase: 'idle', again: state.again || msg.more }, msg.hookId, msg.outcome);
      case 'retryDue':
        return load({ ...state, phase: 'idle', again: true });
      case 'storeFailed':
      case 'keyAwaited':
        return [{ ...state, phase: 'backingOff', asked: new Map() }, ...answers(state), after('retry', RETRY_MS, { type: 'retryDue' })];
      case 'fenced':
        return [state, ...answers(state), stop];
      default:
        return unreachable(msg);
    }
  },

  canSleep: ({ phase, asked }) => phase === 'idle' && asked.size === 0,
};

function load(state: StoreLinkState): StoreLinkStep {
  if (state.phase === 'loading' || state.phase === 'applying') return [state];
  if (state.draining) return [{ ...state, phase: 'idle', asked: new Map() }, ...answers(state), reply(state.draining, null)];
  if (state.phase === 'backingOff') return [state];
  return [{ ...state, phase: 'loading', again: false }, { do: 'load' }];
}

const apply = (state: StoreLinkState, work: Work): StoreLinkStep => [
  { ...state, phase: 'applying' },
  { do: 'apply', work, decision: decide(work.settings, work.known, { id: work.hookId, fact: work.fact, arrivedAt: work.arrivedAt }) },
];

/** Who still asks does so about a webhook that was handled before the question came. */
function nothingWaits(state: StoreLinkState): StoreLinkStep {
  if (state.again) return load({ ...state, phase: 'idle' });
  const [next, ...effects] = state.draining ? load({ ...state, phase: 'idle' }) : [{ ...state, phase: 'idle' as const, asked: new Map() }];
  return [next, ...(state.draining ? [] : answers(state)), ...effects];
}

function answered(state: StoreLinkState, hookId: string, outcome: Outcome): StoreLinkStep {
  const asker = state.asked.get(hookId);
  const asked = new Map([...state.asked].filter(([id]) => id !== hookId));
  // Askers whose webhook was handled before they asked are answered by the load that finds nothing.
  const mustLook = state.again || asked.size > 0 || state.draining !== null;
  const [next, ...effects] = mustLook ? load({ ...state, asked }) : [{ ...state, asked }];
  return [next, ...(asker ? [reply(asker, outcome)] : []), ...effects];
}

const answers = ({ asked }: StoreLinkState): readonly CoreEffect<StoreLinkEvent>[] =>
  [...asked.values()].map((asker) => reply(asker, null));
