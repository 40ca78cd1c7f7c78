import { after, type CoreEffect, cancel, type ReplyTo, refuse, reply } from '../../runtime/behaviour.ts';
import type { MessageRow } from '../../store/messages.ts';
import type { OutgoingMessage } from '../network/port.ts';
import { refusal } from '../refusals.ts';
import { toOutgoing } from './content.ts';
import { AT_ONCE, dayOf, isWatched, openGate, opensNext, paused, typingMs } from './pace.ts';
import {
  type DeviceEffect,
  type DeviceEvent,
  type DeviceState,
  type DeviceStep,
  GATES,
  type Gate,
  type OutboxState,
  type Receipt,
} from './protocol.ts';

/** Messages that may be on the wire without the network's word on them. */
const WINDOW = 32;
/** A network that says nothing of a message for this long is taken for gone: the line is opened anew and the rows are sent again. */
const ACK_MS = 30_000;
const DELIVER_MS = 20_000;
/** A hint of new rows may be lost, and a late write of an earlier owner may leave one on the wire: the device looks for itself so often. */
const LOOK_MS = 60_000;
/**
 * After this many tries over so long a time, or a day, nobody can say whether it arrived: `failed` with `unknown_outcome`. Tries alone say little:
 * a line that drops as soon as it opens makes six in a minute.
 */
const MOST_ATTEMPTS = 6;
const LONG_ENOUGH_MS = 3_600_000;
const LONGEST_UNKNOWN_MS = 86_400_000;

type Effects = readonly (DeviceEffect | CoreEffect<DeviceEvent>)[];

export const closed: OutboxState = {
  phase: 'closed',
  emptyUpTo: GATES.shut,
  typing: null,
  onTheWire: new Map(),
  pace: AT_ONCE,
  delivering: new Map(),
};

/** The line is open: first what the last line left on the wire, then what waits. */
export function open(state: DeviceState): DeviceStep {
  return [withOutbox(state, { phase: 'recovering' }), { do: 'recover', dial: state.line.dial }];
}

/** The line is gone. What was on the wire stays `sending` in the store until the next line takes it over. */
export function close(state: DeviceState): DeviceStep {
  const unanswered = [...state.outbox.delivering].flatMap(
    ([netId, replyTo]): Effects => [cancel(deliverKey(netId)), refuse(replyTo, refusal('NOT_DELIVERED'))],
  );
  return [
    { ...state, outbox: { ...closed, pace: state.outbox.pace } },
    cancel('pace'),
    cancel('typing'),
    cancel('acks'),
    cancel('look'),
    ...unanswered,
  ];
}

/** Nothing of unknown outcome is left, and nothing is being claimed. */
export function isQuiet({ outbox, asking, acting }: DeviceState): boolean {
  const owed = outbox.onTheWire.size + outbox.delivering.size + asking.size + acting.size;
  return owed === 0 && outbox.phase !== 'claiming' && outbox.phase !== 'recovering';
}

/** Offline, only what is over already (a quota that was used up) can be worked on. */
export function workArrived(state: DeviceState, now: number): DeviceStep {
  if (state.outbox.phase === 'closed') return [state, { do: 'settle' }];
  return pump(withOutbox(state, { emptyUpTo: GATES.shut }), now);
}

/** Claims the next rows if there may be some, the wire has room and the pace allows. */
export function pump(state: DeviceState, now: number): DeviceStep {
  const { outbox } = state;
  if (outbox.phase !== 'idle' || state.draining || outbox.onTheWire.size >= WINDOW) return [state];
  const gate = openGate(state, now);
  if (gate > outbox.emptyUpTo) return claim(withOutbox(state, { emptyUpTo: gate }), { limit: limitOf(state), row: null }, gate, now);
  const opensAt = opensNext(state, outbox.emptyUpTo, now);
  return opensAt === null ? [state] : [state, after('pace', opensAt - now, { type: 'paceDue' })];
}

/** At a pace of its own each leaves alone, as those of campaigns do. */
function limitOf({ facts: { pacing }, outbox }: DeviceState): number {
  const isAlone = pacing.maxDelayMs > 0 || pacing.typing || outbox.emptyUpTo >= GATES.scheduled;
  return isAlone ? 1 : WINDOW - outbox.onTheWire.size;
}

type Claim = Pick<Extract<DeviceEffect, { do: 'claim' }>, 'limit' | 'row'>;

function claim(state: DeviceState, what: Claim, gate: Gate, now: number): DeviceStep {
  const turn = { gate, isWatched: isWatched(state, now), day: dayOf(state, now) };
  const { pacing } = state.facts;
  return [withOutbox(state, { phase: 'claiming' }), { do: 'claim', dial: state.line.dial, ...what, pacing, turn }];
}

/** Where that is wanted, a text is seen being written first. It waits meanwhile: it can still be cancelled. */
export function chosen(state: DeviceState, row: MessageRow): DeviceStep {
  if (state.outbox.phase !== 'claiming') return [state];
  const written = after<DeviceEvent>('typing', typingMs(row.body ?? ''), { type: 'typed', dial: state.line.dial });
  return [withOutbox(state, { phase: 'typing', typing: row }), { do: 'showPresence', chat: row.chat_id, state: 'composing' }, written];
}

export function typingOver(state: DeviceState, now: number): DeviceStep {
  const { phase, typing } = state.outbox;
  if (phase !== 'typing' || !typing) return [state];
  const written = withOutbox(state, { phase: 'idle', typing: null, emptyUpTo: GATES.shut });
  return state.draining ? [written] : claim(written, { limit: 1, row: typing }, openGate(state, now), now);
}

type Claimed = Pick<Extract<DeviceEvent, { type: 'claimed' }>, 'rows' | 'pauseMs' | 'isSpent'>;

export function claimed(state: DeviceState, { rows, pauseMs, isSpent = false }: Claimed, now: number): DeviceStep {
  if (state.outbox.phase !== 'claiming') return [state];
  const late = rows.filter(({ expires_at }) => expires_at !== undefined && expires_at < now);
  const due = rows.filter((row) => !late.includes(row));
  const spent = isSpent ? { ...state.outbox.pace, spentUntil: dayOf(state, now)?.endsAt ?? now } : state.outbox.pace;
  const pace = due.reduce((so, { lane }) => paused(so, lane, pauseMs, now), spent);
  const { emptyUpTo } = state.outbox;
  const known = isSpent && emptyUpTo > GATES.replies ? GATES.replies : emptyUpTo;
  const idle = withOutbox(state, { phase: 'idle', pace, emptyUpTo: rows.length > 0 ? GATES.shut : known });
  const [next, ...effects] = transmit(idle, due, now);
  return [next, ...late.map(({ net_id }): DeviceEffect => ({ do: 'markFailed', netId: net_id, error: 'expired' })), ...effects];
}

/** Rows of unknown outcome go out again under their own network id: the network drops the second copy and acks it again. */
export function recovered(state: DeviceState, rows: readonly MessageRow[], now: number): DeviceStep {
  if (state.outbox.phase !== 'recovering') return [state];
  const hopeless = rows.filter((row) => isHopeless(row, now));
  const given = hopeless.map((row): DeviceEffect => ({ do: 'markFailed', netId: row.net_id, error: 'unknown_outcome' }));
  const again = rows.filter((row) => !hopeless.includes(row));
  const [next, ...effects] = transmit(withOutbox(state, { phase: 'idle', emptyUpTo: GATES.shut }), again, now);
  return [next, ...given, ...effects, look(state)];
}

function isHopeless({ attempts, claimed_at }: MessageRow, now: number): boolean {
  const triedMs = now - (claimed_at ?? now);
  return triedMs > (attempts > MOST_ATTEMPTS ? LONG_ENOUGH_MS : LONGEST_UNKNOWN_MS);
}

/** Nothing is on the wire, so whatever the store says is on it is somebody else's leftover. */
export function lookDue(state: DeviceState): DeviceStep {
  const { outbox, draining } = state;
  return outbox.phase === 'idle' && outbox.onTheWire.size === 0 && !draining ? open(state) : [state, look(state)];
}

/** The network has it. A second ack (of a resent copy) finds nothing on the wire and changes nothing. */
export function acked(state: DeviceState, netId: string, at: number, now: number): DeviceStep {
  const waiting = state.outbox.delivering.get(netId);
  if (waiting) return [settled(state, netId), cancel(deliverKey(netId)), reply(waiting, null)];
  const sent = state.outbox.onTheWire.get(netId);
  if (!sent) return [state];
  return landed(state, netId, now, { do: 'markSent', id: sent.id, at });
}

export function refusedByNetwork(state: DeviceState, netId: string, reason: string, now: number): DeviceStep {
  const waiting = state.outbox.delivering.get(netId);
  if (waiting) return [settled(state, netId), cancel(deliverKey(netId)), refuse(waiting, refusal('NOT_DELIVERED', { reason }))];
  return landed(state, netId, now, { do: 'markFailed', netId, error: reason });
}

/** A receipt is also the network's word that it has the message: the ack may have been lost with the last line. */
export function receipt(state: DeviceState, receipt: Receipt, now: number): DeviceStep {
  const { netIds, at } = receipt;
  const [next, ...landing] = netIds.reduce<DeviceStep>(
    ([so, ...effects], netId) => {
      const [further, ...more] = acked(so, netId, at, now);
      return [further, ...effects, ...more];
    },
    [state],
  );
  return [next, ...landing, { do: 'markReceipt', dial: state.line.dial, receipt }];
}

export function deliver(state: DeviceState, message: OutgoingMessage, replyTo: ReplyTo<null>): DeviceStep {
  if (state.line.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  const delivering = new Map(state.outbox.delivering).set(message.netId, replyTo);
  const overdue = after<DeviceEvent>(deliverKey(message.netId), DELIVER_MS, { type: 'deliverOverdue', netId: message.netId });
  return [withOutbox(state, { delivering }), { do: 'transmit', message }, overdue];
}

export function deliverOverdue(state: DeviceState, netId: string): DeviceStep {
  const waiting = state.outbox.delivering.get(netId);
  return waiting ? [settled(state, netId), refuse(waiting, refusal('NOT_DELIVERED'))] : [state];
}

export function silentTooLong({ outbox }: DeviceState, now: number): boolean {
  // What was sent in the future was sent before the wall clock was set back.
  return [...outbox.onTheWire.values()].some(({ at }) => now - at >= ACK_MS || at > now);
}

const look = ({ line }: DeviceState): CoreEffect<DeviceEvent> => after<DeviceEvent>('look', LOOK_MS, { type: 'lookDue', dial: line.dial });

/** Sets the watch on the oldest message of unknown outcome. */
export function watch(state: DeviceState, now: number): DeviceStep {
  return [state, ...watching(state, now)];
}

function watching({ outbox, line }: DeviceState, now: number): Effects {
  if (outbox.onTheWire.size === 0) return [cancel('acks')];
  // Entries are added in the order of time, so the first is the oldest. No luck is drawn here: the redial's own jitter suffices.
  const [oldest] = outbox.onTheWire.values();
  return [after('acks', Math.min(oldest!.at + ACK_MS - now, ACK_MS), { type: 'ackOverdue', dial: line.dial, luck: 0.5 })];
}

function transmit(state: DeviceState, rows: readonly MessageRow[], now: number): DeviceStep {
  const onTheWire = new Map(state.outbox.onTheWire);
  for (const row of rows) onTheWire.set(row.net_id, { id: row._id, lane: row.lane, at: now });
  const sent = withOutbox(state, { onTheWire });
  const [next, ...effects] = pump(sent, now);
  return [next, ...rows.map((row): DeviceEffect => ({ do: 'transmit', message: toOutgoing(row) })), ...watching(sent, now), ...effects];
}

function landed(state: DeviceState, netId: string, now: number, mark: DeviceEffect): DeviceStep {
  const onTheWire = new Map(state.outbox.onTheWire);
  const wasFirst = onTheWire.keys().next().value === netId;
  onTheWire.delete(netId);
  const freed = withOutbox(state, { onTheWire });
  const [next, ...effects] = pump(freed, now);
  return [next, mark, ...(wasFirst ? watching(freed, now) : []), ...effects];
}

function settled(state: DeviceState, netId: string): DeviceState {
  const delivering = new Map(state.outbox.delivering);
  delivering.delete(netId);
  return withOutbox(state, { delivering });
}

const withOutbox = (state: DeviceState, change: Partial<OutboxState>): DeviceState => ({
  ...state,
  outbox: { ...state.outbox, ...change },
});
const deliverKey = (netId: string): string => `deliver ${netId}`;
