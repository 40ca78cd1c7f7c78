import { after, type CoreEffect, cancel, type ReplyTo, refuse, reply } from '../../../runtime/actor-system/behaviour.ts';
import type { Slowed } from '../../../store/devices/devices.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { refusal } from '../../domain/refusals.ts';
import { MAX_BACKOFF_MS, pauseAfterRefusals, TOO_MANY, transientCodeOf } from '../../domain/transient-refusals.ts';
import type { ConnectionEvent, OutgoingMessage } from '../../network/port.ts';
import type { Delivering, DeviceCommand, DeviceEffect, DeviceEvent, DeviceState, DeviceStep, Receipt, SendingState } from '../protocol.ts';
import { toOutgoing } from './content.ts';
import { type DeviceFacts, GATES, type Gate } from './facts.ts';
import { countAwaited } from './message-actions.ts';
import { happenedAt } from './network-time.ts';
import {
  campaignRoom,
  dayOf,
  isCampaign,
  isWatched,
  lanesBehind,
  NO_PAUSE,
  NOT_SLOWED,
  openGate,
  opensNext,
  paused,
  typingMs,
} from './pacing.ts';

/**
 * Sends the messages of one device. A message is claimed in the store before it is sent, and a
 * resend reuses its network id. The store holds the queue. The device's state holds only the
 * messages "on the wire": those sent, but not yet acknowledged.
 */

const MAX_ON_THE_WIRE = 32;
/** If no ack arrives within this time, the device reconnects and resends the messages. */
const ACK_MS = 30_000;
const DELIVER_MS = 20_000;
/** Polling finds messages whose notification was lost, and unacknowledged messages of a previous owner. */
const POLL_MS = 60_000;
/** A bad connection uses up six attempts in a minute, so messages are also retried for at least an hour. */
const MAX_ATTEMPTS = 6;
const LONG_ENOUGH_MS = 3_600_000;
const LONGEST_UNKNOWN_MS = 86_400_000;

type Effects = readonly (DeviceEffect | CoreEffect<DeviceEvent>)[];

export const closed: SendingState = {
  phase: 'closed',
  emptyUpTo: GATES.shut,
  ahead: null,
  typing: null,
  onTheWire: new Map(),
  unwritten: new Map(),
  pace: NO_PAUSE,
  heldBack: [],
  slowed: NOT_SLOWED,
  delivering: new Map(),
};

export const asleep = ({ slowed }: DeviceFacts): SendingState => ({ ...closed, slowed: slowed ?? NOT_SLOWED });

export function open(state: DeviceState): DeviceStep {
  return [withSending(state, { phase: 'recovering' }), { do: 'recover', connectionId: state.connection.connectionId }];
}

export function close(state: DeviceState): DeviceStep {
  const unanswered = [...state.sending.delivering].flatMap(
    ([netId, { replyTo }]): Effects => [cancel(deliverKey(netId)), cancel(againKey(netId)), refuse(replyTo, refusal('NOT_DELIVERED'))],
  );
  return [
    { ...state, sending: { ...closed, pace: state.sending.pace, heldBack: state.sending.heldBack, slowed: state.sending.slowed } },
    cancel('pace'),
    cancel('typing'),
    cancel('acks'),
    cancel('poll'),
    ...unanswered,
  ];
}

export function isQuiet(state: DeviceState): boolean {
  const { sending, pendingRequests } = state;
  const underWay = sending.onTheWire.size + sending.delivering.size + pendingRequests.size + countAwaited(state);
  return underWay === 0 && sending.phase !== 'claiming' && sending.phase !== 'recovering';
}

/** If no other message is waiting and no limit applies, claims the new message while it is stored. */
export function workArrived(state: DeviceState, { ahead, id }: WorkHint, now: number): DeviceStep {
  if (ahead) {
    const gate = openGate(state, now);
    if (!isFree(state, ahead, gate, now)) return [state];
    return claim(withSending(state, { ahead: ahead._id }), { limit: limitOf(state), row: ahead, isAhead: true }, gate, now);
  }
  if (state.sending.phase === 'closed') return [state, { do: 'processOutbox' }];
  if (id !== undefined && id === state.sending.ahead) return [state];
  const [next, ...effects] = pump(withSending(state, { emptyUpTo: GATES.shut }), now);
  return id === undefined ? [next, ...effects, { do: 'processOutbox' }] : [next, ...effects];
}

type WorkHint = Pick<Extract<DeviceCommand, { type: 'workArrived' }>, 'ahead' | 'id'>;

function isFree(state: DeviceState, row: MessageRow, gate: Gate, now: number): boolean {
  const { sending, facts, draining } = state;
  if (sending.phase !== 'idle' || draining || sending.onTheWire.size >= MAX_ON_THE_WIRE) return false;
  if (isWatched(state, now) || facts.pacing.typing || isCampaign(row)) return false;
  return gate !== GATES.shut && gate <= sending.emptyUpTo && row.lane <= lanesBehind(gate);
}

export function pump(state: DeviceState, now: number): DeviceStep {
  const { sending } = state;
  if (sending.phase !== 'idle' || state.draining || sending.onTheWire.size >= MAX_ON_THE_WIRE) return [state];
  const gate = openGate(state, now);
  if (gate > sending.emptyUpTo) return claim(withSending(state, { emptyUpTo: gate }), { limit: limitOf(state), row: null }, gate, now);
  const opensAt = opensNext(state, sending.emptyUpTo, now);
  return opensAt === null ? [state] : [state, after('pace', opensAt - now, { type: 'paceDue' })];
}

function limitOf({ facts: { pacing }, sending }: DeviceState): number {
  return pacing.maxDelayMs > 0 || pacing.typing ? 1 : MAX_ON_THE_WIRE - sending.onTheWire.size;
}

type ClaimOptions = Pick<Extract<DeviceEffect, { do: 'claim' }>, 'limit' | 'row' | 'isAhead'>;

function claim(state: DeviceState, what: ClaimOptions, gate: Gate, now: number): DeviceStep {
  const turn = { gate, isWatched: isWatched(state, now), day: dayOf(state, now), campaigns: campaignRoom(state, now) };
  const { pacing } = state.facts;
  return [withSending(state, { phase: 'claiming' }), { do: 'claim', connectionId: state.connection.connectionId, ...what, pacing, turn }];
}

/** While the typing indicator is shown, the message stays in the queue and can still be cancelled. */
export function chosen(state: DeviceState, row: MessageRow): DeviceStep {
  if (state.sending.phase !== 'claiming') return [state];
  const written = after<DeviceEvent>('typing', typingMs(row.body ?? ''), { type: 'typed', connectionId: state.connection.connectionId });
  return [withSending(state, { phase: 'typing', typing: row }), { do: 'showPresence', chat: row.chat_id, state: 'composing' }, written];
}

export function typingOver(state: DeviceState, now: number): DeviceStep {
  const { phase, typing } = state.sending;
  if (phase !== 'typing' || !typing) return [state];
  const written = withSending(state, { phase: 'idle', typing: null, emptyUpTo: GATES.shut });
  return state.draining ? [written] : claim(written, { limit: 1, row: typing }, openGate(state, now), now);
}

type Claimed = Pick<Extract<DeviceEvent, { type: 'claimed' }>, 'rows' | 'pauseMs' | 'isSpent' | 'areAll' | 'isUnfinished'>;

export function claimed(state: DeviceState, event: Claimed, now: number): DeviceStep {
  const { rows, pauseMs, isSpent = false, areAll = false, isUnfinished = false } = event;
  if (state.sending.phase !== 'claiming') return [state];
  const late = rows.filter(({ expires_at }) => expires_at !== undefined && expires_at < now);
  const others = rows.filter((row) => !late.includes(row) && isOfAnotherNumber(state, row.unknown_since));
  const due = rows.filter((row) => !late.includes(row) && !others.includes(row));
  const spent = isSpent ? { ...state.sending.pace, spentUntil: dayOf(state, now)?.endsAt ?? now } : state.sending.pace;
  const pace = due.reduce((so, { lane }) => paused(so, lane, pauseMs, now), spent);
  const { emptyUpTo } = state.sending;
  const known = isSpent && emptyUpTo > GATES.replies ? GATES.replies : emptyUpTo;
  const mayWait = isUnfinished || (rows.length > 0 && !areAll);
  const idle = withSending(state, { phase: 'idle', pace, emptyUpTo: mayWait ? GATES.shut : known });
  const [next, ...effects] = transmit(idle, due, now);
  return [next, ...failing(late, 'expired'), ...failing(others, 'unknown_outcome'), ...effects];
}

/** Resends messages under the same network id. The network acknowledges duplicates, but drops them. */
export function recovered(state: DeviceState, rows: readonly MessageRow[], now: number): DeviceStep {
  if (state.sending.phase !== 'recovering') return [state];
  const left = rows.filter(({ net_id }) => !state.sending.onTheWire.has(net_id));
  const hopeless = left.filter((row) => isHopeless(row, now) || isOfAnotherNumber(state, row.unknown_since ?? row.claimed_at));
  const again = left.filter((row) => !hopeless.includes(row));
  const [next, ...effects] = transmit(withSending(state, { phase: 'idle', emptyUpTo: GATES.shut }), again, now, true);
  return [next, ...failing(hopeless, 'unknown_outcome'), ...effects, poll(state)];
}

function isHopeless({ attempts, claimed_at, held }: MessageRow, now: number): boolean {
  const triedMs = now - (claimed_at ?? now);
  return triedMs > (attempts > MAX_ATTEMPTS && !held ? LONG_ENOUGH_MS : LONGEST_UNKNOWN_MS);
}

/** Whether another number sent the message. The network would not recognize a resend as a duplicate. */
const isOfAnotherNumber = ({ facts }: DeviceState, since: number | null = null): boolean => since !== null && since < (facts.linkedAt ?? 0);

const failing = (rows: readonly MessageRow[], error: string): Effects =>
  rows.map(({ net_id }) => ({ do: 'markFailed', netId: net_id, error }));

export function pollDue(state: DeviceState): DeviceStep {
  const { sending, draining } = state;
  const isFree = sending.onTheWire.size === 0 || sending.unwritten.size > 0;
  return sending.phase === 'idle' && isFree && !draining ? open(state) : [state, poll(state)];
}

type Acked = Pick<Extract<ConnectionEvent, { type: 'acked' }>, 'netId' | 'at' | 'serverId' | 'wireId'>;

export function acked(state: DeviceState, { netId, at, serverId, wireId }: Acked, now: number): DeviceStep {
  const waiting = state.sending.delivering.get(netId);
  if (waiting) return [settled(state, netId), cancel(deliverKey(netId)), reply(waiting.replyTo, null)];
  const sent = state.sending.onTheWire.get(netId) ?? state.sending.unwritten.get(netId);
  if (!sent) return [state];
  const sentAt = happenedAt(at, now, Math.min(sent.at, now));
  return landed(taken(state, sent), netId, now, {
    ...{ do: 'markSent', id: sent.id, at: sentAt },
    ...(serverId !== undefined && { serverId }),
    ...(wireId !== undefined && { wireId }),
  });
}

/** Keeps the connection, because a failed write may affect only one recipient. */
export function unwritten(state: DeviceState, netId: string, now: number): DeviceStep {
  const waiting = state.sending.delivering.get(netId);
  if (waiting) return [settled(state, netId), cancel(deliverKey(netId)), refuse(waiting.replyTo, refusal('NOT_DELIVERED'))];
  const sent = state.sending.onTheWire.get(netId);
  if (!sent) return [state];
  const onTheWire = without(state.sending.onTheWire, netId);
  const free = withSending(state, { onTheWire, unwritten: new Map(state.sending.unwritten).set(netId, sent) });
  const [next, ...effects] = pump(free, now);
  return [next, ...watching(free, now), ...effects];
}

export function refusedByNetwork(state: DeviceState, { netId, reason, backoffMs = 0, limit }: RefusedMessage, now: number): DeviceStep {
  const waiting = state.sending.delivering.get(netId);
  const code = transientCodeOf(reason);
  if (waiting && code !== null) return deliverAgain(state, waiting, backoffMs);
  if (waiting) return [settled(state, netId), cancel(deliverKey(netId)), refuse(waiting.replyTo, refusal('NOT_DELIVERED', { reason }))];
  if (code === null) return landed([state], netId, now, { do: 'markFailed', netId, error: reason });
  const slowing: DeviceStep = code === TOO_MANY ? slowedDown(state, netId, backoffMs, now) : [state];
  return landed(slowing, netId, now, { do: 'holdBack', netId, refusal: { code, backoffMs, ...(limit && { limit }) } });
}

type RefusedMessage = Pick<Extract<ConnectionEvent, { type: 'refused' }>, 'netId' | 'reason' | 'backoffMs' | 'limit'>;

/** Slows down after a refusal. Refusals of messages that were on the wire together count as one. */
function slowedDown(state: DeviceState, netId: string, backoffMs: number, now: number): DeviceStep {
  const { slowed, onTheWire } = state.sending;
  const sentAt = onTheWire.get(netId)?.at ?? now;
  const times = slowed.times > 0 && sentAt <= slowed.at ? slowed.times : slowed.times + 1;
  const pauseMs = Math.min(pauseAfterRefusals(times, backoffMs), MAX_BACKOFF_MS);
  return slowedAs(state, { times, at: now, until: Math.max(slowed.until, now + pauseMs) });
}

const slowedAs = (state: DeviceState, slowed: Slowed): DeviceStep => [
  withSending(state, { slowed }),
  { do: 'save', patch: { slowed: slowed.times > 0 ? slowed : null } },
];

const taken = (state: DeviceState, sent: { readonly at: number }): DeviceStep =>
  state.sending.slowed.times > 0 && sent.at > state.sending.slowed.at ? slowedAs(state, NOT_SLOWED) : [state];

export function heldBack(state: DeviceState, until: number | null, now: number): DeviceStep {
  if (until === null) return [state, { do: 'processOutbox' }];
  return untilDue(withSending(state, { heldBack: [...state.sending.heldBack, until].toSorted((one, other) => one - other) }), now);
}

export function heldBackDue(state: DeviceState, now: number): DeviceStep {
  const left = state.sending.heldBack.filter((until) => until > now && until <= now + MAX_BACKOFF_MS);
  const [next, ...waiting] = untilDue(withSending(state, { heldBack: left, emptyUpTo: GATES.shut }), now);
  const [pumped, ...effects] = pump(next, now);
  return [pumped, ...waiting, ...effects];
}

function untilDue(state: DeviceState, now: number): DeviceStep {
  const [first] = state.sending.heldBack;
  return first === undefined ? [state] : [state, after('heldBack', Math.max(0, first - now), { type: 'heldBackDue' })];
}

/** Also treats a receipt as an ack, because the last connection may have lost the ack itself. */
export function receipt(state: DeviceState, receipt: Receipt, now: number): DeviceStep {
  const { netIds, at } = receipt;
  const [next, ...landing] = netIds.reduce<DeviceStep>(
    ([so, ...effects], netId) => {
      const [further, ...more] = acked(so, { netId, at }, now);
      return [further, ...effects, ...more];
    },
    [state],
  );
  return [
    next,
    ...landing,
    { do: 'markReceipt', connectionId: state.connection.connectionId, receipt: { ...receipt, at: happenedAt(at, now) } },
  ];
}

export function deliver(state: DeviceState, message: OutgoingMessage, replyTo: ReplyTo<null>): DeviceStep {
  if (state.connection.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  const delivering = new Map(state.sending.delivering).set(message.netId, { message, replyTo, refusals: 0 });
  const overdue = after<DeviceEvent>(deliverKey(message.netId), DELIVER_MS, { type: 'deliverOverdue', netId: message.netId });
  return [withSending(state, { delivering }), { do: 'transmit', message }, overdue];
}

export function deliverOverdue(state: DeviceState, netId: string): DeviceStep {
  const waiting = state.sending.delivering.get(netId);
  return waiting ? [settled(state, netId), cancel(againKey(netId)), refuse(waiting.replyTo, refusal('NOT_DELIVERED'))] : [state];
}

function deliverAgain(state: DeviceState, waiting: Delivering, backoffMs: number): DeviceStep {
  const { netId } = waiting.message;
  const refusals = waiting.refusals + 1;
  const delivering = new Map(state.sending.delivering).set(netId, { ...waiting, refusals });
  const again = after<DeviceEvent>(againKey(netId), pauseAfterRefusals(refusals, backoffMs), { type: 'deliverDue', netId });
  return [withSending(state, { delivering }), again];
}

export function deliverDue(state: DeviceState, netId: string): DeviceStep {
  const waiting = state.sending.delivering.get(netId);
  return waiting ? [state, { do: 'transmit', message: waiting.message }] : [state];
}

export function silentTooLong({ sending }: DeviceState, now: number): boolean {
  // A time in the future means that the wall clock was set back, so it counts as overdue.
  return [...sending.onTheWire.values()].some(({ at }) => now - at >= ACK_MS || at > now);
}

const poll = ({ connection }: DeviceState): CoreEffect<DeviceEvent> =>
  after<DeviceEvent>('poll', POLL_MS, { type: 'pollDue', connectionId: connection.connectionId });

export function watch(state: DeviceState, now: number): DeviceStep {
  return [state, ...watching(state, now)];
}

function watching({ sending, connection, facts }: DeviceState, now: number): Effects {
  if (facts.isOfficial) return [];
  const [oldest] = sending.onTheWire.values();
  if (!oldest) return [cancel('acks')];
  return [
    after('acks', Math.min(oldest.at + ACK_MS - now, ACK_MS), { type: 'ackOverdue', connectionId: connection.connectionId, jitter: 0.5 }),
  ];
}

function transmit(state: DeviceState, rows: readonly MessageRow[], now: number, isAgain = false): DeviceStep {
  const onTheWire = new Map(state.sending.onTheWire);
  for (const row of rows) onTheWire.set(row.net_id, { id: row._id, lane: row.lane, at: now });
  const again = rows.reduce((rest, { net_id }) => without(rest, net_id), state.sending.unwritten);
  const sent = withSending(state, { onTheWire, unwritten: again });
  const [next, ...effects] = pump(sent, now);
  return [
    next,
    ...rows.map((row): DeviceEffect => ({ do: 'transmit', message: toOutgoing(row, state.facts.isOfficial ? { isAgain } : null) })),
    ...watching(sent, now),
    ...effects,
  ];
}

function landed([state, ...before]: DeviceStep, netId: string, now: number, mark: DeviceEffect): DeviceStep {
  const wasFirst = state.sending.onTheWire.keys().next().value === netId;
  const freed = withSending(state, {
    onTheWire: without(state.sending.onTheWire, netId),
    unwritten: without(state.sending.unwritten, netId),
  });
  const [next, ...effects] = pump(freed, now);
  return [next, mark, ...before, ...(wasFirst ? watching(freed, now) : []), ...effects];
}

function settled(state: DeviceState, netId: string): DeviceState {
  const delivering = new Map(state.sending.delivering);
  delivering.delete(netId);
  return withSending(state, { delivering });
}

function without<V>(rows: ReadonlyMap<string, V>, netId: string): ReadonlyMap<string, V> {
  if (!rows.has(netId)) return rows;
  const rest = new Map(rows);
  rest.delete(netId);
  return rest;
}

const withSending = (state: DeviceState, change: Partial<SendingState>): DeviceState => ({
  ...state,
  sending: { ...state.sending, ...change },
});
const deliverKey = (netId: string): string => `deliver ${netId}`;
const againKey = (netId: string): string => `deliver again ${netId}`;
