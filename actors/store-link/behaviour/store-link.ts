import {
  after,
  type Behaviour,
  type CoreEffect,
  type ReplyTo,
  reply,
  type Step,
  stop,
  unreachable,
} from '../../../runtime/actor-system/behaviour.ts';
import type { StoreLinkOwner } from '../../../store/store-links/links.ts';
import type { Outcome, StoreLinkCommand, StoreLinkEffect, StoreLinkEvent, StoreLinkState, UnstoredHook, Work } from '../protocol.ts';
import { decide } from './decide.ts';

/**
 * One connected store. Its webhooks wait in the database and are handled one by one in order of
 * arrival. A webhook that arrives while none is waiting is instead stored together with its result.
 *
 *     idle ──hookArrived──▶ loading ──loaded──▶ applying ──applied──▶ loading … ──nothing waits──▶ idle
 *      └────hookCame────────▶  ├── storeFailed, keyAwaited ────┴──▶ backingOff ──retryDue──▶ loading
 *                              └── turnedAway ──▶ idle
 */

type StoreLinkStep = Step<StoreLinkState, StoreLinkEffect | CoreEffect<StoreLinkEvent>>;

const RETRY_MS = 1_000;
const DRAINED_MS = 20_000;

export const storeLink: Behaviour<StoreLinkOwner, StoreLinkState, StoreLinkCommand, StoreLinkEvent, StoreLinkEffect> = {
  kind: 'store-link',

  start: (owner) => load({ owner, phase: 'idle', again: false, asked: new Map(), unstored: null, draining: null }),

  handle(state, msg) {
    switch (msg.type) {
      case 'hookArrived':
        return load({ ...state, again: true, asked: new Map([...state.asked, [msg.hookId, msg.replyTo]]) });
      case 'hookCame':
        return atOnce(state, msg.hook, msg.replyTo);
      case 'drain':
        return [...load({ ...state, draining: msg.replyTo }), after('goOn', DRAINED_MS, { type: 'goOn' })];
      case 'loaded':
        return msg.work ? apply(state, msg.work) : nothingWaits(state);
      case 'applied':
        return answered({ ...state, phase: 'idle', again: state.again || msg.more }, msg.hookId, msg.outcome);
      case 'turnedAway':
        return goOn({ ...state, phase: 'idle', unstored: null }, answerTo(state.unstored, null));
      case 'goOn':
        return load({ ...state, draining: null });
      case 'retryDue':
        return load({ ...state, phase: 'idle', again: true });
      case 'storeFailed':
      case 'keyAwaited':
        return [
          { ...state, phase: 'backingOff', asked: new Map(), unstored: null },
          ...answers(state),
          after('retry', RETRY_MS, { type: 'retryDue' }),
        ];
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

/** Refuses if another webhook is in progress or may be waiting, because their order must be kept. */
function atOnce(state: StoreLinkState, hook: UnstoredHook, replyTo: ReplyTo<Outcome | null>): StoreLinkStep {
  if (state.phase !== 'idle' || state.again || state.draining) return [state, reply(replyTo, null)];
  return [
    { ...state, phase: 'loading', unstored: replyTo },
    { do: 'loadUnstored', hook },
  ];
}

const apply = (state: StoreLinkState, work: Work): StoreLinkStep => [
  { ...state, phase: 'applying' },
  { do: 'apply', work, decision: decide(work.settings, work.known, { id: work.hookId, fact: work.fact, arrivedAt: work.arrivedAt }) },
];

function nothingWaits(state: StoreLinkState): StoreLinkStep {
  if (state.again) return load({ ...state, phase: 'idle' });
  const [next, ...effects] = state.draining ? load({ ...state, phase: 'idle' }) : [{ ...state, phase: 'idle' as const, asked: new Map() }];
  return [next, ...(state.draining ? [] : answers(state)), ...effects];
}

function answered(state: StoreLinkState, hookId: string, outcome: Outcome): StoreLinkStep {
  const asker = state.unstored ?? state.asked.get(hookId) ?? null;
  const asked = new Map([...state.asked].filter(([id]) => id !== hookId));
  return goOn({ ...state, asked, unstored: null }, answerTo(asker, outcome));
}

/** If callers wait for webhooks that were already handled, the next load replies to them. */
function goOn(state: StoreLinkState, answer: readonly CoreEffect<StoreLinkEvent>[]): StoreLinkStep {
  const mustLook = state.again || state.asked.size > 0 || state.draining !== null;
  const [then, ...effects] = mustLook ? load(state) : [state];
  return [then, ...answer, ...effects];
}

const answerTo = (asker: ReplyTo<Outcome | null> | null, outcome: Outcome | null): readonly CoreEffect<StoreLinkEvent>[] =>
  asker ? [reply(asker, outcome)] : [];

const answers = ({ asked, unstored }: StoreLinkState): readonly CoreEffect<StoreLinkEvent>[] => [
  ...answerTo(unstored, null),
  ...[...asked.values()].map((asker) => reply(asker, null)),
];
