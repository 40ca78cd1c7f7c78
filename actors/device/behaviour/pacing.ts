import type { Settings } from '../../../store/accounts/tenants.ts';
import type { Slowed } from '../../../store/devices/devices.ts';
import { FIRST_CONTACT, LANES } from '../../../store/messaging/message-row.ts';
import { MAX_BACKOFF_MS } from '../../domain/transient-refusals.ts';
import { type YoungDay, youngDay } from '../../domain/warm-up.ts';
import type { DeviceState } from '../protocol.ts';
import { GATES, type Gate, type Pace, type Pacing } from './facts.ts';

/** Decides which kinds of messages may be sent now, and when more kinds may. No side effects. */

export const NOT_SLOWED: Slowed = { times: 0, at: 0, until: 0 };
/** Sending stops if this many refused messages wait for a resend, because each claim must skip them. */
const MAX_HELD_BACK = 32;

export const NO_PAUSE: Pace = { replies: 0, planned: 0, strangers: 0, spentUntil: 0 };

export const pacingIn = ({ pacing, warmup }: Settings): Pacing => ({
  minDelayMs: pacing.min_delay_ms,
  maxDelayMs: pacing.max_delay_ms,
  typing: pacing.typing,
  warmupDays: warmup.enabled ? warmup.days : null,
});

const STRANGER_FACTOR = 5;

const LANE_BEHIND: Readonly<Record<Gate, number>> = {
  [GATES.shut]: -1,
  [GATES.replies]: LANES.reply,
  [GATES.scheduled]: LANES.scheduled,
  [GATES.campaigns]: LANES.campaign,
  [GATES.firstContacts]: LANES.campaign + FIRST_CONTACT,
};

export const lanesBehind = (gate: Gate): number => LANE_BEHIND[gate];

export const isCampaign = ({ lane }: { readonly lane: number }): boolean => lane % FIRST_CONTACT === LANES.campaign;

export function isWatched(state: DeviceState, now: number): boolean {
  return state.facts.pacing.maxDelayMs > 0 || restrictedUntil(state, now) !== null || dayOf(state, now) !== null;
}

/** Maximum number of unacknowledged campaign messages. Kept low, as they can no longer be cancelled. */
const CAMPAIGNS_ON_THE_WIRE = 16;

/** Returns how many campaign messages to claim. Without pacing, many are claimed at once to save cost. */
export function campaignRoom(state: DeviceState, now: number): number {
  const { pacing } = state.facts;
  const most = isWatched(state, now) || pacing.typing ? 1 : CAMPAIGNS_ON_THE_WIRE;
  const onTheWire = [...state.sending.onTheWire.values()].filter(isCampaign).length;
  return onTheWire > most / 2 ? 0 : most - onTheWire;
}

export const dayOf = ({ facts }: DeviceState, now: number): YoungDay | null =>
  youngDay(facts.linkedAt, facts.pacing.warmupDays ?? null, now);

export function openGate(state: DeviceState, now: number): Gate {
  const [replies, scheduled, campaigns, strangers] = openings(state, now);
  if (strangers <= now) return GATES.firstContacts;
  if (campaigns <= now) return GATES.campaigns;
  if (scheduled <= now) return GATES.scheduled;
  return replies <= now ? GATES.replies : GATES.shut;
}

export function opensNext(state: DeviceState, gate: Gate, now: number): number | null {
  const later = openings(state, now).filter((at, nth) => nth >= gate && at > now && Number.isFinite(at));
  return later.length > 0 ? Math.min(...later) : null;
}

export function paused(pace: Pace, lane: number, pauseMs: number, now: number): Pace {
  const next = now + pauseMs;
  const isStranger = lane >= FIRST_CONTACT;
  return {
    ...pace,
    replies: lane % FIRST_CONTACT === LANES.reply ? next : pace.replies,
    planned: next,
    strangers: isStranger ? now + STRANGER_FACTOR * pauseMs : Math.max(pace.strangers, next),
  };
}

function openings(state: DeviceState, now: number): readonly [number, number, number, number] {
  const { pace, slowed, heldBack } = state.sending;
  const { maxDelayMs } = state.facts.pacing;
  // A time further ahead than the longest pause means that the wall clock was set back.
  const believed = (at: number, longest: number): number => (at - now > longest ? now : at);
  const spent = dayOf(state, now) ? pace.spentUntil : 0;
  const full = heldBack.length >= MAX_HELD_BACK ? (heldBack[0] ?? 0) : 0;
  const refused = believed(Math.max(slowed.until, full), MAX_BACKOFF_MS);
  const replies = Math.max(believed(pace.replies, maxDelayMs), refused);
  const scheduled = Math.max(believed(pace.planned, maxDelayMs), spent, refused);
  const campaigns = campaignRoom(state, now) === 0 ? Number.POSITIVE_INFINITY : scheduled;
  const strangers = Math.max(believed(pace.strangers, STRANGER_FACTOR * maxDelayMs), campaigns, restrictedUntil(state, now) ?? 0);
  return [replies, scheduled, campaigns, strangers];
}

/** Returns Infinity if only the network can lift the limit, or null if the device is not restricted. */
function restrictedUntil({ facts: { restriction } }: DeviceState, now: number): number | null {
  if (!restriction) return null;
  const until = restriction.until ?? Number.POSITIVE_INFINITY;
  return until > now ? until : null;
}

const TYPING_MS_PER_CHARACTER = 30;
const SHORTEST_TYPING_MS = 600;
const LONGEST_TYPING_MS = 5_000;

export const typingMs = (text: string): number =>
  Math.min(LONGEST_TYPING_MS, Math.max(SHORTEST_TYPING_MS, text.length * TYPING_MS_PER_CHARACTER));
