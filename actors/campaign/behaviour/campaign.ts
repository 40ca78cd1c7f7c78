import {
  after,
  type Behaviour,
  type CoreEffect,
  cancel,
  refuse,
  reply,
  type Step,
  stop,
  unreachable,
} from '../../../runtime/actor-system/behaviour.ts';
import type { CampaignOwner, CampaignRow } from '../../../store/campaigns/campaigns.ts';
import { refusal } from '../../domain/refusals.ts';
import type { CampaignCommand, CampaignEffect, CampaignEvent, CampaignState, Order, Snapshot } from '../protocol.ts';
import { decide, deepened, follow, isShut, LEAST_DEPTH, NO_TREND, withoutAudience } from './decide-release.ts';
import { changeOf } from './status-changes.ts';

type CampaignStep = Step<CampaignState, CampaignEffect | CoreEffect<CampaignEvent>>;

/** Polling finds work whose notification was lost, and devices that connected or disconnected. */
const POLL_MS = 5_000;
const STORE_PAUSE_MS = 1_000;
/** Longest timer. Longer waits are split, because the wall clock may change and machines may sleep. */
const LONGEST_WAIT_MS = 60_000;
/** Minimum time between two counts of the recipients. A count reads one index entry per recipient. */
const COUNT_MS = 1_000;
const DRAINED_MS = 20_000;

const FRESH: Omit<CampaignState, 'owner'> = {
  phase: 'idle',
  again: true,
  orders: [],
  depth: LEAST_DEPTH,
  trend: NO_TREND,
  quotaRefused: null,
  countedAt: 0,
  comparedAt: 0,
  hasFilled: false,
  isOver: false,
  draining: null,
};

/** Runs a campaign in steps, each based on a new snapshot. Any node can continue a campaign. */
export const campaign: Behaviour<CampaignOwner, CampaignState, CampaignCommand, CampaignEvent, CampaignEffect> = {
  kind: 'campaign',

  start: (owner, now) => proceed({ ...FRESH, owner }, now),

  handle(state, msg, now) {
    switch (msg.type) {
      case 'start':
      case 'pause':
      case 'resume':
      case 'cancel':
        return proceed({ ...state, orders: [...state.orders, msg] }, now);
      case 'poll':
        return proceed({ ...state, again: true }, now);
      case 'drain':
        return proceed({ ...state, draining: msg.replyTo }, now);
      case 'snapshotLoaded':
        return snapshotLoaded(state, msg.snapshot, now);
      case 'commandApplied':
        return commandApplied(state, msg.row, now);
      case 'audienceGone':
        return [state, withoutAudience(msg.row, now)];
      case 'acted':
        return acted(withQuotaRefused(state, msg.quotaRefused), msg.hasMoved, now);
      case 'pollDue':
        return proceed({ ...state, again: true, draining: null }, now);
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

function proceed(state: CampaignState, now: number): CampaignStep {
  if (state.phase !== 'idle') return [state];
  if (state.draining) return [state, cancel('poll'), reply(state.draining, null), after('poll', DRAINED_MS, { type: 'pollDue' })];
  const [order] = state.orders;
  if (order)
    return [
      { ...state, phase: 'applying' },
      { do: 'applyCommand', change: changeOf(order, now), audit: order.audit },
    ];
  if (!state.again) return [state];
  const count = isDue(state.countedAt, COUNT_MS, now);
  const compare = isDue(state.comparedAt, POLL_MS, now);
  const times = { ...(count && { countedAt: now }), ...(compare && { comparedAt: now }) };
  return [
    { ...state, phase: 'loading', again: false, ...times },
    cancel('poll'),
    { do: 'loadSnapshot', count, compare, upTo: state.depth },
  ];
}

/** Whether the interval has passed, or the wall clock was set back (`last` is in the future). */
const isDue = (last: number, everyMs: number, now: number): boolean => now - last >= everyMs || now < last;

function snapshotLoaded(state: CampaignState, snapshot: Snapshot, now: number): CampaignStep {
  const trend = snapshot.counts ? followed(state, snapshot) : state.trend;
  const depth = state.hasFilled ? deepened(state.depth, snapshot) : state.depth;
  const quotaRefused = snapshot.counts ? 0 : state.quotaRefused;
  const known: CampaignState = { ...state, phase: 'idle', trend, quotaRefused, depth, isOver: isOver(snapshot) };
  if (known.orders.length > 0 || known.draining) return proceed(known, now);
  const effect = decide(snapshot, depth, trend, now);
  if (effect) return act(known, effect);
  const [next, ...effects] = proceed(known, now);
  return [next, ...effects, ...(next.phase === 'idle' ? nextPoll(next, snapshot, now) : [])];
}

function act(state: CampaignState, effect: CampaignEffect): CampaignStep {
  const hasFilled = effect.do === 'release' || (state.hasFilled && effect.do !== 'wait' && effect.do !== 'takeBack');
  return [{ ...state, phase: 'acting', hasFilled }, effect];
}

function acted(state: CampaignState, hasMoved: boolean, now: number): CampaignStep {
  const [next, ...effects] = proceed({ ...state, phase: 'idle', again: state.again || hasMoved }, now);
  return next.phase === 'idle' ? [next, ...effects, after('poll', POLL_MS, { type: 'pollDue' })] : [next, ...effects];
}

function followed({ trend, quotaRefused }: CampaignState, { row, counts }: Snapshot): CampaignState['trend'] {
  if (!counts || quotaRefused === null || row.status !== 'running') return trend;
  const failed = counts.failed_count - row.failed_count - quotaRefused;
  return follow(trend, Math.max(0, counts.sent_count - row.sent_count), Math.max(0, failed));
}

const withQuotaRefused = (state: CampaignState, more: number): CampaignState =>
  state.quotaRefused === null ? state : { ...state, quotaRefused: state.quotaRefused + more };

const isOver = ({ row }: Snapshot): boolean => row.status !== 'running' && (row.status !== 'draft' || row.scheduled_at === null);

function nextPoll(state: CampaignState, snapshot: Snapshot, now: number): readonly CoreEffect<CampaignEvent>[] {
  const { row, window, ahead, counts } = snapshot;
  // A held campaign keeps polling, because nothing notifies it when capacity becomes free.
  const isHeld = (snapshot.isSuspended || snapshot.lacksRoom) && !isOver(snapshot);
  const startsAt = row.status === 'draft' ? row.scheduled_at : null;
  const times = [startsAt, window.opensAt, window.closesAt, isHeld ? now + LONGEST_WAIT_MS : null].filter((at) => at !== null);
  const isWaiting = row.status !== 'running' || ((isShut(snapshot) || isHeld) && ahead === 0);
  // No other event may follow, so if it is too soon to count the recipients again, schedule a poll.
  const countsAt = counts === null ? Math.min(Math.max(now, state.countedAt + COUNT_MS), now + COUNT_MS) : Number.POSITIVE_INFINITY;
  const soonest = Math.min(...times.filter((at) => at > now), countsAt, isWaiting ? Number.POSITIVE_INFINITY : now + POLL_MS);
  return Number.isFinite(soonest) ? [after<CampaignEvent>('poll', Math.min(soonest - now, LONGEST_WAIT_MS), { type: 'pollDue' })] : [];
}

function commandApplied(state: CampaignState, row: CampaignRow | null, now: number): CampaignStep {
  const [order, ...orders] = state.orders;
  const fresh = order?.type === 'resume' && { trend: NO_TREND, hasFilled: false };
  const [next, ...effects] = proceed({ ...state, phase: 'idle', orders, again: true, ...fresh }, now);
  return [next, ...answer(order, row), ...effects];
}

const NOT_FROM_HERE = {
  en: 'the status of the campaign does not allow this',
  id: 'status kampanye tidak memungkinkan tindakan ini',
};

function answer(order: Order | undefined, row: CampaignRow | null): readonly CoreEffect<CampaignEvent>[] {
  if (!order) return [];
  return [row ? reply(order.replyTo, row) : refuse(order.replyTo, refusal('CONFLICT', { reason: NOT_FROM_HERE }))];
}

function storeFailed(state: CampaignState): CampaignStep {
  const refused = state.orders.map(({ replyTo }) => refuse(replyTo, refusal('UNAVAILABLE')));
  const next: CampaignState = { ...state, phase: 'idle', orders: [], again: false, quotaRefused: null, comparedAt: 0, isOver: false };
  return [next, ...refused, after('poll', STORE_PAUSE_MS, { type: 'pollDue' })];
}
