import { after, type Behaviour, type CoreEffect, cancel, refuse, reply, type Step, stop, unreachable } from '../../runtime/behaviour.ts';
import type { BlastOwner, BlastRow } from '../../store/blasts.ts';
import { refusal } from '../refusals.ts';
import { decide, deepened, follow, isShut, LEAST_DEPTH, NO_TREND } from './decide.ts';
import type { Action, BlastCommand, BlastEffect, BlastEvent, BlastState, Order, Survey } from './protocol.ts';

type BlastStep = Step<BlastState, BlastEffect | CoreEffect<BlastEvent>>;

/** Hints may be lost, and devices come and go: a running campaign looks for itself so often. */
const LOOK_MS = 5_000;
const STORE_PAUSE_MS = 1_000;
/** However far its time is: the clock may be set, and a machine that sleeps does not hear its timers. */
const LONGEST_WAIT_MS = 60_000;
/** Counting reads every recipient's index entry: seldom enough for a hundred thousand of them. */
const COUNT_MS = 1_000;
/** Whoever asked it to rest ends it by then. */
const RESTED_MS = 20_000;

const FRESH: Omit<BlastState, 'owner'> = {
  phase: 'idle',
  again: true,
  orders: [],
  depth: LEAST_DEPTH,
  trend: NO_TREND,
  countedAt: 0,
  comparedAt: 0,
  hasFilled: false,
  isOver: false,
  resting: null,
};

/**
 * One campaign. It looks at the store, does the one thing that is next (decide.ts), and looks again: all that it knows is in the store, so
 * it can be killed and go on elsewhere anywhere in between. Orders are carried out between two actions.
 */
export const blast: Behaviour<BlastOwner, BlastState, BlastCommand, BlastEvent, BlastEffect> = {
  kind: 'blast',

  start: (owner, now) => proceed({ ...FRESH, owner }, now),

  handle(state, msg, now) {
    switch (msg.type) {
      case 'start':
      case 'pause':
      case 'resume':
      case 'cancel':
        return proceed({ ...state, orders: [...state.orders, msg] }, now);
      case 'look':
        return proceed({ ...state, again: true }, now);
      case 'rest':
        return proceed({ ...state, resting: msg.replyTo }, now);
      case 'surveyed':
        return surveyed(state, msg.survey, now);
      case 'obeyed':
        return obeyed(state, msg.row, now);
      case 'acted':
        return acted(state, msg.hasMoved, now);
      case 'lookDue':
        return proceed({ ...state, again: true, resting: null }, now);
      case 'storeFailed':
        return storeFailed(state);
      case 'fenced':
        return [state, stop];
      default:
        return unreachable(msg);
    }
  },

  canSleep: ({ phase, isOver, orders }) => phase === 'idle' && isOver && orders.length === 0,
};

/** The next thing, if nothing is under way: an order before a look. */
function proceed(state: BlastState, now: number): BlastStep {
  if (state.phase !== 'idle') return [state];
  if (state.resting) return [state, cancel('look'), reply(state.resting, null), after('look', RESTED_MS, { type: 'lookDue' })];
  const [order] = state.orders;
  if (order)
    return [
      { ...state, phase: 'obeying' },
      { do: 'obey', order: order.type, attestedAt: attestedAtOf(order) },
    ];
  if (!state.again) return [state];
  const count = isDue(state.countedAt, COUNT_MS, now);
  const compare = isDue(state.comparedAt, LOOK_MS, now);
  const times = { ...(count && { countedAt: now }), ...(compare && { comparedAt: now }) };
  return [{ ...state, phase: 'surveying', again: false, ...times }, cancel('look'), { do: 'survey', count, compare, upTo: state.depth }];
}

/** In the future lies what was done before the wall clock was set back. */
const isDue = (last: number, everyMs: number, now: number): boolean => now - last >= everyMs || now < last;

function surveyed(state: BlastState, survey: Survey, now: number): BlastStep {
  const trend = survey.counts ? followed(state, survey) : state.trend;
  const depth = state.hasFilled ? deepened(state.depth, survey) : state.depth;
  const known: BlastState = { ...state, phase: 'idle', trend, depth, isOver: isOver(survey) };
  if (known.orders.length > 0 || known.resting) return proceed(known, now);
  const action = decide(survey, depth, trend, now);
  if (action) return act(known, action, survey.row);
  const [next, ...effects] = proceed(known, now);
  return [next, ...effects, ...(next.phase === 'idle' ? looking(survey, now) : [])];
}

function act(state: BlastState, action: Action, row: BlastRow): BlastStep {
  const hasFilled = action.act === 'release' || (state.hasFilled && action.act !== 'wait' && action.act !== 'clear');
  return [
    { ...state, phase: 'acting', hasFilled },
    { do: 'act', action, row },
  ];
}

/** What could do nothing is tried again later, not at once. */
function acted(state: BlastState, hasMoved: boolean, now: number): BlastStep {
  const [next, ...effects] = proceed({ ...state, phase: 'idle', again: state.again || hasMoved }, now);
  return next.phase === 'idle' ? [next, ...effects, after('look', LOOK_MS, { type: 'lookDue' })] : [next, ...effects];
}

/** What came out since the counts that the row had. */
function followed({ trend }: BlastState, { row, counts }: Survey): BlastState['trend'] {
  if (!counts || row.status !== 'running') return trend;
  return follow(trend, Math.max(0, counts.sent_count - row.sent_count), Math.max(0, counts.failed_count - row.failed_count));
}

/** Asleep until somebody gives an order. What runs or has a time stays awake: it is small, and then on time. */
const isOver = ({ row }: Survey): boolean => row.status !== 'running' && (row.status !== 'draft' || row.scheduled_at === null);

function looking(survey: Survey, now: number): readonly CoreEffect<BlastEvent>[] {
  const { row, window, ahead } = survey;
  const times = [row.status === 'draft' ? row.scheduled_at : null, window.opensAt, window.closesAt].filter((at) => at !== null && at > now);
  const isWaiting = row.status !== 'running' || (isShut(survey) && ahead === 0);
  const soonest = Math.min(...(times as number[]), isWaiting ? Number.POSITIVE_INFINITY : now + LOOK_MS);
  return Number.isFinite(soonest) ? [after<BlastEvent>('look', Math.min(soonest - now, LONGEST_WAIT_MS), { type: 'lookDue' })] : [];
}

function obeyed(state: BlastState, row: BlastRow | null, now: number): BlastStep {
  const [order, ...orders] = state.orders;
  const fresh = order?.type === 'resume' && { trend: NO_TREND, hasFilled: false };
  const [next, ...effects] = proceed({ ...state, phase: 'idle', orders, again: true, ...fresh }, now);
  return [next, ...answer(order, row), ...effects];
}

function answer(order: Order | undefined, row: BlastRow | null): readonly CoreEffect<BlastEvent>[] {
  if (!order) return [];
  return [row ? reply(order.replyTo, row) : refuse(order.replyTo, refusal('CONFLICT'))];
}

/** Who gave orders hears that it did not go through; what was done of it is found by the next look. */
function storeFailed(state: BlastState): BlastStep {
  const refused = state.orders.map(({ replyTo }) => refuse(replyTo, refusal('UNAVAILABLE')));
  const next: BlastState = { ...state, phase: 'idle', orders: [], again: false, comparedAt: 0, isOver: false };
  return [next, ...refused, after('look', STORE_PAUSE_MS, { type: 'lookDue' })];
}

const attestedAtOf = (order: Order): number | null => (order.type === 'start' ? order.attestedAt : null);
