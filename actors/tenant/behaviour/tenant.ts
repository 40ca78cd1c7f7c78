import {
  after,
  type Behaviour,
  type CoreEffect,
  cancel,
  type ReplyTo,
  reply,
  type Step,
  stop,
  unreachable,
} from '../../../runtime/actor-system/behaviour.ts';
import type { TenantOwner } from '../../../store/scheduling/wakeups.ts';
import type { Endpoint, Snapshot, TenantCommand, TenantEffect, TenantEvent, TenantState } from '../protocol.ts';
import type { WorkStep } from './due-work.ts';
import * as work from './due-work.ts';
import type { QuestionsStep } from './questions.ts';
import * as questions from './questions.ts';
import * as endpoints from './webhook-endpoint.ts';

type TenantStep = Step<TenantState, TenantEffect | CoreEffect<TenantEvent>>;

/** Polling finds work whose notification was lost, or whose process died after recording events. */
const POLL_MS = 60_000;
const STORE_PAUSE_MS = 1_000;
const RELEASE = { do: 'release' } as const;
const BILL = { do: 'bill' } as const;
const DRAINED_MS = 20_000;

/** Does all of a tenant's work: due sends, events and webhook deliveries. */
export const tenant: Behaviour<TenantOwner, TenantState, TenantCommand, TenantEvent, TenantEffect> = {
  kind: 'tenant',

  start: (owner) => {
    const state: TenantState = {
      owner,
      endpoints: new Map(),
      poll: 'none',
      round: 0,
      isFull: true,
      alertAt: null,
      sends: work.unknown,
      billing: work.unknown,
      questions: questions.unknown,
      rev: 0,
      wakeupAcked: undefined,
      draining: null,
    };
    return poll(state);
  },

  handle(state, msg, now) {
    if (state.draining) return whileDraining(state, msg);
    const [next, ...effects] = react(state, msg, now);
    if (next.draining) return drained(next);
    const [settled, ...more] = ackWakeup(next);
    return [settled, ...effects, ...more, ...(isWatched(msg) ? [timer(settled, now)] : [])];
  },

  canSleep: (state) => isIdle(state) && state.wakeupAcked === null,
};

function react(state: TenantState, msg: TenantCommand | TenantEvent, now: number): TenantStep {
  switch (msg.type) {
    case 'eventsArrived':
      return answered(poll(state), msg.replyTo);
    case 'webhookChanged':
      return answered(poll(forgotten(state, msg.webhookId)), msg.replyTo);
    case 'drain':
      return [{ ...state, draining: msg.replyTo }];
    case 'snapshotLoaded':
      return msg.round === state.round ? polled(state, msg.snapshot) : [state];
    case 'taken':
      return msg.round === state.round ? pumpOne(state, msg.webhookId, (endpoint) => endpoints.taken(endpoint, msg.taken)) : [state];
    case 'attempted':
      return pumpOne(state, msg.webhookId, (endpoint) => endpoints.attempted(endpoint, msg.id, msg.nextAt, msg.pace));
    case 'wakeupAcked':
      return msg.isDone ? [{ ...state, wakeupAcked: msg.dueAt }] : poll({ ...state, isFull: true });
    case 'released':
      return withSends(state, work.done(state.sends, RELEASE, msg.released));
    case 'billed':
      return withBilling(state, work.done(state.billing, BILL, msg.released));
    case 'questionsFound':
      return withQuestions(state, questions.found(state.questions, msg.chats, msg.nextAt));
    case 'chatAnswered':
      return withQuestions(state, questions.answered(state.questions, msg.chat));
    case 'retryDue':
      return retryDue(state, now);
    case 'pollDue':
      return pollDue(state, now);
    case 'storeFailed':
      return storeFailed(state);
    case 'fenced':
      return [state, stop];
    default:
      return unreachable(msg);
  }
}

function poll(state: TenantState): TenantStep {
  if (state.poll !== 'none') return [{ ...state, poll: 'again' }];
  const { round, endpoints: all } = state;
  const looking: TenantState = { ...state, poll: 'loading', endpoints: each(state, endpoints.lookedFor) };
  return [looking, cancel('poll'), { do: 'poll', round, known: [...all.keys()] }];
}

function polled(state: TenantState, seen: Snapshot): TenantStep {
  const all = state.isFull || seen.others;
  const found = new Map(seen.webhooks.map((webhook) => [webhook._id, refreshed(state.endpoints.get(webhook._id), webhook, seen, all)]));
  const next: TenantState = {
    ...state,
    endpoints: found,
    poll: 'none',
    isFull: false,
    alertAt: seen.alertAt,
    rev: seen.rev,
    wakeupAcked: undefined,
  };
  const sending = also(pumpAll(next), withSends, work.seen(state.sends, RELEASE, seen.sendsRev));
  const billed = also(sending, withBilling, work.seen(state.billing, BILL, seen.billingRev));
  const [pumped, ...effects] = alsoQuestions(billed, questions.seen(state.questions, seen.questionsRev));
  const again = state.poll === 'again' || seen.moreEvents ? poll(pumped) : ([pumped] as const);
  const [looking, ...more] = again;
  return [looking, ...effects, ...more, after('poll', POLL_MS, { type: 'pollDue' })];
}

function refreshed(known: Endpoint | undefined, webhook: Endpoint['webhook'], { fresh }: Snapshot, all: boolean): Endpoint {
  const endpoint = known ? { ...known, webhook, more: known.more || all } : endpoints.discovered(webhook);
  const own = fresh.filter(({ webhook_id }) => webhook_id === webhook._id);
  return endpoints.offered(endpoint, own);
}

function forgotten(state: TenantState, webhookId: string): TenantState {
  const endpoint = state.endpoints.get(webhookId);
  if (!endpoint) return state;
  return { ...state, endpoints: new Map(state.endpoints).set(webhookId, { ...endpoint, queue: [], more: true }) };
}

function retryDue(state: TenantState, now: number): TenantStep {
  const due = each(state, (endpoint) => endpoints.retryDue(endpoint, now));
  const sending = also(pumpAll({ ...state, endpoints: due }), withSends, work.due(state.sends, RELEASE, now));
  const billed = also(sending, withBilling, work.due(state.billing, BILL, now));
  const [next, ...effects] = alsoQuestions(billed, questions.due(state.questions, now));
  const isAlertDue = state.alertAt !== null && state.alertAt <= now;
  const [looking, ...more] = isAlertDue ? poll({ ...next, alertAt: null }) : ([next] as const);
  return [looking, ...effects, ...more];
}

/** Polls everything, because the clock may have been changed, or the machine may have slept. */
function pollDue(state: TenantState, now: number): TenantStep {
  const [next, ...effects] = retryDue(state, now);
  const [looking, ...more] = poll({ ...next, isFull: true });
  return [looking, ...effects, ...more];
}

/** Reads everything again, because a failed write may be partly stored. Work in progress continues. */
function storeFailed(state: TenantState): TenantStep {
  return [anew(state), after<TenantEvent>('poll', STORE_PAUSE_MS, { type: 'pollDue' })];
}

const anew = (state: TenantState): TenantState => ({
  ...state,
  endpoints: each(state, endpoints.anew),
  poll: 'none',
  round: state.round + 1,
  isFull: true,
  wakeupAcked: undefined,
  sends: work.unknown,
  billing: work.unknown,
  questions: questions.anew(state.questions),
});

const withSends = (state: TenantState, [next, effects]: WorkStep): TenantStep => [{ ...state, sends: next }, ...effects];
const withBilling = (state: TenantState, [next, effects]: WorkStep): TenantStep => [{ ...state, billing: next }, ...effects];

function also([state, ...effects]: TenantStep, put: typeof withSends, step: WorkStep): TenantStep {
  const [next, ...more] = put(state, step);
  return [next, ...effects, ...more];
}

const withQuestions = (state: TenantState, [next, effects]: QuestionsStep): TenantStep => [{ ...state, questions: next }, ...effects];

function alsoQuestions([state, ...effects]: TenantStep, step: QuestionsStep): TenantStep {
  const [next, ...more] = withQuestions(state, step);
  return [next, ...effects, ...more];
}

function pumpAll(state: TenantState): TenantStep {
  return [...state.endpoints.keys()].reduce<TenantStep>(
    ([next, ...effects], id) => {
      const [pumped, ...more] = pumpOne(next, id, (endpoint) => endpoint);
      return [pumped, ...effects, ...more];
    },
    [state],
  );
}

function pumpOne(state: TenantState, webhookId: string, change: (endpoint: Endpoint) => Endpoint): TenantStep {
  const endpoint = state.endpoints.get(webhookId);
  if (!endpoint) return [state];
  const others = inFlightOf(state) - endpoint.inFlight.size;
  const [next, effects] = endpoints.pump(change(endpoint), state.round, others);
  return [{ ...state, endpoints: new Map(state.endpoints).set(webhookId, next) }, ...effects];
}

const inFlightOf = ({ endpoints: all }: TenantState): number => [...all.values()].reduce((sum, { inFlight }) => sum + inFlight.size, 0);

function ackWakeup(state: TenantState): TenantStep {
  const dueAt = dueOf(state);
  if (!isIdle(state) || state.isFull || state.wakeupAcked === dueAt) return [state];
  return [
    { ...state, wakeupAcked: dueAt },
    { do: 'ackWakeup', rev: state.rev, dueAt },
  ];
}

function whileDraining(state: TenantState, msg: TenantCommand | TenantEvent): TenantStep {
  switch (msg.type) {
    case 'eventsArrived':
    case 'webhookChanged':
      return [state, reply(msg.replyTo, null)];
    case 'drain':
      return drained({ ...state, draining: msg.replyTo });
    case 'attempted':
      return drained(ended(state, msg));
    case 'released':
      return drained({ ...state, sends: work.unknown });
    case 'billed':
      return drained({ ...state, billing: work.unknown });
    case 'storeFailed':
      return drained({ ...state, sends: work.unknown, billing: work.unknown });
    case 'questionsFound':
      return drained({ ...state, questions: questions.anew(state.questions) });
    case 'chatAnswered':
      return drained({ ...state, questions: questions.anew(questions.answered(state.questions, msg.chat)[0]) });
    case 'pollDue':
      return poll({ ...anew(state), draining: null });
    case 'fenced':
      return [state, stop];
    default:
      return [state];
  }
}

function ended(state: TenantState, { webhookId, id, nextAt, pace }: Extract<TenantEvent, { type: 'attempted' }>): TenantState {
  const endpoint = state.endpoints.get(webhookId);
  if (!endpoint) return state;
  return { ...state, endpoints: new Map(state.endpoints).set(webhookId, endpoints.attempted(endpoint, id, nextAt, pace)) };
}

function drained(state: TenantState): TenantStep {
  const isOver = isWorkOver(state) && [...state.endpoints.values()].every(({ inFlight }) => inFlight.size === 0);
  const goOn = after<TenantEvent>('poll', DRAINED_MS, { type: 'pollDue' });
  return state.draining && isOver ? [state, cancel('retry'), goOn, reply(state.draining, null)] : [state, cancel('retry'), goOn];
}

function answered([state, ...effects]: TenantStep, replyTo: ReplyTo<null>): TenantStep {
  return [state, ...effects, reply(replyTo, null)];
}

function timer(state: TenantState, now: number): CoreEffect<TenantEvent> {
  const dueAt = dueOf(state);
  return dueAt === null ? cancel('retry') : after<TenantEvent>('retry', Math.max(0, dueAt - now), { type: 'retryDue' });
}

const each = ({ endpoints: all }: TenantState, change: (endpoint: Endpoint) => Endpoint): TenantState['endpoints'] =>
  new Map([...all].map(([id, endpoint]) => [id, change(endpoint)]));

const isWorkOver = ({ sends, billing, questions: asked }: TenantState): boolean =>
  sends.phase === 'idle' && billing.phase === 'idle' && questions.isIdle(asked);

const isIdle = (state: TenantState): boolean =>
  state.poll === 'none' && isWorkOver(state) && [...state.endpoints.values()].every(endpoints.isQuiet);

const dueOf = ({ alertAt, sends, billing, questions: asked, endpoints: all }: TenantState): number | null =>
  endpoints.earliest(alertAt, sends.nextAt, billing.nextAt, asked.nextAt, ...[...all.values()].map(endpoints.nextOf));

const WATCHED: ReadonlySet<string> = new Set<TenantEvent['type']>([
  'snapshotLoaded',
  'taken',
  'attempted',
  'released',
  'billed',
  'questionsFound',
  'retryDue',
]);
const isWatched = ({ type }: TenantCommand | TenantEvent): boolean => WATCHED.has(type);
