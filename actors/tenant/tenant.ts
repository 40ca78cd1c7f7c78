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
} from '../../runtime/behaviour.ts';
import type { TenantOwner } from '../../store/agenda.ts';
import * as endpoints from './endpoint.ts';
import type { Endpoint, Seen, TenantCommand, TenantEffect, TenantEvent, TenantState } from './protocol.ts';
import type { SendsStep } from './sends.ts';
import * as sends from './sends.ts';

type TenantStep = Step<TenantState, TenantEffect | CoreEffect<TenantEvent>>;

/** A hint may be lost, and events may be recorded by a process that died at once: the store is looked at so often. */
const LOOK_MS = 60_000;
const STORE_PAUSE_MS = 1_000;
/** Whoever asked it to rest ends it by then. */
const RESTED_MS = 20_000;

/**
 * What must be decided once for a tenant: sends whose time has come go to their devices, events become deliveries, deliveries become
 * requests, at most a few at once for each webhook, so that a slow one delays nobody else. It looks, works until nothing is due, crosses that off the agenda and sleeps.
 */
export const tenant: Behaviour<TenantOwner, TenantState, TenantCommand, TenantEvent, TenantEffect> = {
  kind: 'tenant',

  start: (owner) => {
    const state: TenantState = {
      owner,
      endpoints: new Map(),
      look: 'none',
      round: 0,
      isFull: true,
      alertAt: null,
      sends: sends.unknown,
      rev: 0,
      crossedOff: undefined,
      resting: null,
    };
    return look(state);
  },

  handle(state, msg, now) {
    if (state.resting) return whileResting(state, msg);
    const [next, ...effects] = react(state, msg, now);
    if (next.resting) return rested(next);
    const [settled, ...more] = crossOff(next);
    return [settled, ...effects, ...more, ...(isWatched(msg) ? [timer(settled, now)] : [])];
  },

  canSleep: (state) => isIdle(state) && state.crossedOff === null,
};

function react(state: TenantState, msg: TenantCommand | TenantEvent, now: number): TenantStep {
  switch (msg.type) {
    case 'eventsArrived':
      return answered(look(state), msg.replyTo);
    case 'webhookChanged':
      return answered(look(forgotten(state, msg.webhookId)), msg.replyTo);
    case 'rest':
      return [{ ...state, resting: msg.replyTo }];
    case 'looked':
      return msg.round === state.round ? looked(state, msg.seen) : [state];
    case 'taken':
      return msg.round === state.round ? pumpOne(state, msg.webhookId, (endpoint) => endpoints.taken(endpoint, msg.taken)) : [state];
    case 'attempted':
      return pumpOne(state, msg.webhookId, (endpoint) => endpoints.attempted(endpoint, msg.id, msg.nextAt));
    case 'crossedOff':
      return msg.isDone ? [{ ...state, crossedOff: msg.dueAt }] : look({ ...state, isFull: true });
    case 'released':
      return withSends(state, sends.released(state.sends, msg.released));
    case 'retryDue':
      return retryDue(state, now);
    case 'lookDue':
      return look({ ...state, isFull: true });
    case 'storeFailed':
      return storeFailed(state);
    case 'fenced':
      return [state, stop];
    default:
      return unreachable(msg);
  }
}

function look(state: TenantState): TenantStep {
  if (state.look !== 'none') return [{ ...state, look: 'again' }];
  return [{ ...state, look: 'looking', endpoints: each(state, endpoints.lookedFor) }, cancel('look'), { do: 'look', round: state.round }];
}

function looked(state: TenantState, seen: Seen): TenantStep {
  const all = state.isFull || seen.others;
  const found = new Map(seen.webhooks.map((webhook) => [webhook._id, refreshed(state.endpoints.get(webhook._id), webhook, seen, all)]));
  const next: TenantState = {
    ...state,
    endpoints: found,
    look: 'none',
    isFull: false,
    alertAt: seen.alertAt,
    rev: seen.rev,
    crossedOff: undefined,
  };
  const [pumped, ...effects] = alsoSends(pumpAll(next), sends.seen(state.sends, seen.sendsRev));
  const again = state.look === 'again' || seen.moreEvents ? look(pumped) : ([pumped] as const);
  const [looking, ...more] = again;
  return [looking, ...effects, ...more, after('look', LOOK_MS, { type: 'lookDue' })];
}

function refreshed(known: Endpoint | undefined, webhook: Endpoint['webhook'], { fresh }: Seen, all: boolean): Endpoint {
  const endpoint = known ? { ...known, webhook, more: known.more || all } : endpoints.discovered(webhook);
  const own = fresh.filter(({ webhook_id }) => webhook_id === webhook._id);
  return endpoints.offered(endpoint, own);
}

/** What is queued for it may not be what should be sent any more; what waits is in the store. */
function forgotten(state: TenantState, webhookId: string): TenantState {
  const endpoint = state.endpoints.get(webhookId);
  if (!endpoint) return state;
  return { ...state, endpoints: new Map(state.endpoints).set(webhookId, { ...endpoint, queue: [], more: true }) };
}

function retryDue(state: TenantState, now: number): TenantStep {
  const due = each(state, (endpoint) => endpoints.retryDue(endpoint, now));
  const [next, ...effects] = alsoSends(pumpAll({ ...state, endpoints: due }), sends.due(state.sends, now));
  const isAlertDue = state.alertAt !== null && state.alertAt <= now;
  const [looking, ...more] = isAlertDue ? look({ ...next, alertAt: null }) : ([next] as const);
  return [looking, ...effects, ...more];
}

/** Nobody knows what of it was done: what is under way ends by itself, everything else is read anew. */
function storeFailed(state: TenantState): TenantStep {
  return [anew(state), after<TenantEvent>('look', STORE_PAUSE_MS, { type: 'lookDue' })];
}

const anew = (state: TenantState): TenantState => ({
  ...state,
  endpoints: each(state, endpoints.anew),
  look: 'none',
  round: state.round + 1,
  isFull: true,
  crossedOff: undefined,
  sends: sends.unknown,
});

const withSends = (state: TenantState, [next, effects]: SendsStep): TenantStep => [{ ...state, sends: next }, ...effects];

function alsoSends([state, ...effects]: TenantStep, step: SendsStep): TenantStep {
  const [next, ...more] = withSends(state, step);
  return [next, ...effects, ...more];
}

function pumpAll(state: TenantState): TenantStep {
  const pumped = [...state.endpoints].map(([id, endpoint]) => [id, ...endpoints.pump(endpoint, state.round)] as const);
  const next = new Map(pumped.map(([id, endpoint]) => [id, endpoint]));
  return [{ ...state, endpoints: next }, ...pumped.flatMap(([, , effects]) => effects)];
}

function pumpOne(state: TenantState, webhookId: string, change: (endpoint: Endpoint) => Endpoint): TenantStep {
  const endpoint = state.endpoints.get(webhookId);
  if (!endpoint) return [state];
  const changed = change(endpoint);
  const [next, effects] = endpoints.pump(changed, state.round);
  return [{ ...state, endpoints: new Map(state.endpoints).set(webhookId, next) }, ...effects];
}

/** Nothing is due: the agenda need not wake us before the next thing is. */
function crossOff(state: TenantState): TenantStep {
  const dueAt = dueOf(state);
  if (!isIdle(state) || state.isFull || state.crossedOff === dueAt) return [state];
  return [
    { ...state, crossedOff: dueAt },
    { do: 'crossOff', rev: state.rev, dueAt },
  ];
}

/** Starts nothing and reads nothing; what is under way ends. Should nobody take over, it goes on. */
function whileResting(state: TenantState, msg: TenantCommand | TenantEvent): TenantStep {
  switch (msg.type) {
    case 'eventsArrived':
    case 'webhookChanged':
      return [state, reply(msg.replyTo, null)];
    case 'rest':
      return rested({ ...state, resting: msg.replyTo });
    case 'attempted':
      return rested(ended(state, msg));
    case 'released':
    case 'storeFailed':
      return rested({ ...state, sends: sends.unknown });
    case 'lookDue':
      return look({ ...anew(state), resting: null });
    case 'fenced':
      return [state, stop];
    default:
      return [state];
  }
}

function ended(state: TenantState, { webhookId, id, nextAt }: Extract<TenantEvent, { type: 'attempted' }>): TenantState {
  const endpoint = state.endpoints.get(webhookId);
  if (!endpoint) return state;
  return { ...state, endpoints: new Map(state.endpoints).set(webhookId, endpoints.attempted(endpoint, id, nextAt)) };
}

function rested(state: TenantState): TenantStep {
  const isOver = state.sends.phase === 'idle' && [...state.endpoints.values()].every(({ inFlight }) => inFlight.size === 0);
  const goOn = after<TenantEvent>('look', RESTED_MS, { type: 'lookDue' });
  return state.resting && isOver ? [state, cancel('retry'), goOn, reply(state.resting, null)] : [state, cancel('retry'), goOn];
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

const isIdle = ({ look, sends: { phase }, endpoints: all }: TenantState): boolean =>
  look === 'none' && phase === 'idle' && [...all.values()].every(endpoints.isQuiet);

const dueOf = ({ alertAt, sends: { nextAt }, endpoints: all }: TenantState): number | null =>
  endpoints.earliest(alertAt, nextAt, ...[...all.values()].map(endpoints.nextOf));

/** What may change when the next thing is due. */
const isWatched = ({ type }: TenantCommand | TenantEvent): boolean =>
  type === 'looked' || type === 'taken' || type === 'attempted' || type === 'released' || type === 'retryDue';
