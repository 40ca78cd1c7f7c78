import { after, type CoreEffect, cancel, type ReplyTo, refuse, reply } from '../../runtime/behaviour.ts';
import type { DevicePatch } from '../../store/devices.ts';
import { CLOSED } from '../network/port.ts';
import { refusal } from '../refusals.ts';
import * as acting from './acting.ts';
import { aged, dial, failuresOf, isActive, leave, offlineStatus, RESTING, redial, type Said, save, unwanted, wanted } from './line.ts';
import { codesRanOut, comeAgain } from './linking.ts';
import * as outbox from './outbox.ts';
import { AT_ONCE } from './pace.ts';
import type { DeviceEvent, DeviceState, DeviceStep, LineState, Pacing } from './protocol.ts';
import * as restriction from './restriction.ts';

/** The network shows codes for 160 s and then gives up itself; this only catches a network that says nothing. */
const LINKING_MS = 300_000;
const CONNECTING_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** Another computer took the login: come back slowly, so that two owners never throw each other out in turns. */
const REPLACED_PAUSE_MS = 60_000;
/** After this long online the next loss counts as the first. */
const STEADY_MS = 60_000;
const DAY_MS = 86_400_000;

const NOT_LINKED = { en: 'the device is not linked', id: 'perangkat tidak tertaut' };
const CONNECT_IT = { en: 'the device has failed: connect it', id: 'perangkat gagal: hubungkan kembali' };
const FAILED = { en: 'link the device again first', id: 'tautkan kembali perangkat terlebih dahulu' };

/**
 * First step after waking. A device that was online moved here, or its process died: it stays `connected` for its users, whose messages
 * wait, until coming back has failed.
 */
export function wake(state: DeviceState): DeviceStep {
  const { wanted, status } = state.facts;
  const [young, ...aging] = aged(state);
  const [next, ...dialling] = wanted ? dial(young, 0) : ([young] as const);
  const lifting = restriction.resumed(state);
  if (status === 'failed') return [next, ...aging, ...lifting, ...dialling];
  const shown = wanted && status === 'connected' ? status : offlineStatus(state);
  return [next, ...aging, ...lifting, save({ status: shown, ...RESTING }), ...dialling];
}

export function connect(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.line.phase !== 'down' && state.line.phase !== 'failed' && state.line.phase !== 'backingOff')
    return [state, reply(replyTo, null)];
  const [next, ...dialling] = dial(wanted(state), failuresOf(state.line));
  return [next, cancel('retry'), save({ wanted: true, status: 'pending', reason: null, ...RESTING }, replyTo), ...dialling];
}

export function disconnect(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.line.phase === 'failed') return [state, refuse(replyTo, refusal('CONFLICT', { reason: FAILED }))];
  const [next, ...leaving] = leave(unwanted(state), { phase: 'down', dial: state.line.dial });
  return [next, ...leaving, { do: 'hangUp' }, save({ wanted: false, status: offlineStatus(state), reason: null, ...RESTING }, replyTo)];
}

export function restart(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.facts.credentials === null) return [state, refuse(replyTo, refusal('CONFLICT', { reason: NOT_LINKED }))];
  if (state.line.phase === 'failed') return [state, refuse(replyTo, refusal('CONFLICT', { reason: CONNECT_IT }))];
  const [down, ...leaving] = leave(wanted(state), { phase: 'down', dial: state.line.dial });
  const [next, ...dialling] = dial(down, 0);
  return [
    next,
    ...leaving,
    { do: 'hangUp' },
    save({ wanted: true, status: 'disconnected', reason: null, ...RESTING }, replyTo),
    ...dialling,
  ];
}

export function logOut(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.facts.credentials === null) return [state, refuse(replyTo, refusal('CONFLICT', { reason: NOT_LINKED }))];
  if (state.line.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  const [next, ...effects] = fail(state, 'logged_out', replyTo);
  return [next, { do: 'logOut' }, ...effects];
}

/** The pause after a loss is over; or nobody took over a device that rests for its next owner. */
export function retryDue(state: DeviceState): DeviceStep {
  const { line, facts } = state;
  const isDue = line.phase === 'backingOff' || (line.phase === 'down' && facts.wanted);
  return isDue ? dial(state, failuresOf(line)) : [state];
}

export function dialled(state: DeviceState): DeviceStep {
  const { line, facts } = state;
  if (line.phase !== 'dialling') return [state];
  const { dial: number, failures, wantsCode } = line;
  if (facts.credentials !== null)
    return [{ ...state, line: { phase: 'connecting', dial: number, failures } }, deadline(number, CONNECTING_MS)];
  return [
    {
      ...state,
      line: { phase: 'linking', dial: number, wantsCode, shown: false, byCode: false, passkey: null, saved: false, over: false },
    },
    deadline(number, LINKING_MS),
  ];
}

export function opened(state: DeviceState, { phone, name, about }: Said<'opened'>, now: number): DeviceStep {
  if (state.line.phase !== 'connecting') return [state];
  const { dial: number, failures } = state.line;
  const reconnects = [...state.facts.reconnects.filter((at) => now - at < DAY_MS), now];
  const facts = { ...state.facts, phone, reconnects };
  const patch: DevicePatch = {
    status: 'connected',
    phone_number: phone,
    wa_name: name,
    wa_about: about,
    connected_at: now,
    last_seen_at: now,
    reason: null,
    reconnects,
    ...RESTING,
  };
  const [open, ...recovering] = outbox.open({ ...state, facts, line: { phase: 'online', dial: number, failures, since: now } });
  const [next, ...resuming] = acting.open(open);
  return [next, cancel('deadline'), save(patch), ...recovering, ...resuming];
}

export function closed(state: DeviceState, code: number, luck: number, now: number): DeviceStep {
  if (!isActive(state.line)) return [state];
  switch (code) {
    case CLOSED.loggedOut:
      return fail(state, 'logged_out');
    case CLOSED.banned:
      return fail(state, 'banned');
    case CLOSED.mismatch:
      return fail(state, `status_${code}`);
    case CLOSED.unreadable:
      return unreadable(state);
    case CLOSED.proxy:
      return state.facts.credentials === null ? fail(state, `status_${code}`) : lost(state, `status_${code}`, luck, now);
    case CLOSED.restart:
      return state.line.phase === 'linking' ? comeAgain(state, state.line) : restartRequired(state, luck, now);
    case CLOSED.replaced:
      return replaced(state);
    default:
      return state.line.phase === 'linking' && !state.facts.credentials ? codesRanOut(state) : lost(state, `status_${code}`, luck, now);
  }
}

/** The driver's secrets moved on. Without a login there is nothing that they could belong to. */
export function credentialsChanged(state: DeviceState, { credentials }: Said<'credentials'>): DeviceStep {
  if (state.facts.credentials === null) return [state];
  return [{ ...state, facts: { ...state.facts, credentials } }, save({ credentials })];
}

/** New settings hold from now on, for what waits already, too. */
export function repaced(state: DeviceState, pacing: Pacing, now: number): DeviceStep {
  const [next, ...aging] = aged({ ...state, facts: { ...state.facts, pacing }, outbox: { ...state.outbox, pace: AT_ONCE } });
  const [pumped, ...effects] = outbox.workArrived(next, now);
  return [pumped, ...aging, ...effects];
}

/** Something we waited for did not come: the line counts as lost. */
export function overdue(state: DeviceState, luck: number, now: number): DeviceStep {
  if (!isActive(state.line)) return [state];
  const [next, ...effects] = closed(state, CLOSED.codesRanOut, luck, now);
  return [next, { do: 'hangUp' }, ...effects];
}

/** What we hold in memory may not be what is stored: let go of the line and start over from the store. */
export function storeFailed(state: DeviceState, luck: number, now: number): DeviceStep {
  if (!isActive(state.line)) return [state];
  const [next, ...effects] = lost(state, `status_${CLOSED.failed}`, luck, now);
  return [next, { do: 'hangUp' }, ...effects];
}

/** Replaced (440): whoever no longer owns the device is told so by the store and goes away for good; the owner waits, then takes the login back. */
function replaced(state: DeviceState): DeviceStep {
  const failures = failuresOf(state.line) + 1;
  const [next, ...leaving] = leave(state, { phase: 'backingOff', dial: state.line.dial, failures });
  const pauseMs = Math.min(REPLACED_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS * 12);
  const told = save({ status: offlineStatus(state), reason: 'replaced', ...RESTING });
  return [next, ...leaving, told, after('retry', pauseMs, { type: 'retryDue' })];
}

/** Come again at once, but not in circles. */
function restartRequired(state: DeviceState, luck: number, now: number): DeviceStep {
  return isSteady(state.line, now) ? redial(state) : lost(state, `status_${CLOSED.restart}`, luck, now);
}

function lost(state: DeviceState, reason: string, luck: number, now: number): DeviceStep {
  const { line } = state;
  const failures = isSteady(line, now) ? 1 : failuresOf(line) + 1;
  const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  const [next, ...leaving] = leave(state, { phase: 'backingOff', dial: line.dial, failures });
  const told: DevicePatch = { status: offlineStatus(state), reason, ...RESTING, ...(line.phase === 'online' && { last_seen_at: now }) };
  return [next, ...leaving, save(told), after('retry', Math.round(luck * ceiling), { type: 'retryDue' })];
}

/** Its login is kept: whoever has the key again connects it as before. */
function unreadable(state: DeviceState): DeviceStep {
  const [next, ...leaving] = leave(unwanted(state), { phase: 'failed', dial: state.line.dial });
  return [next, ...leaving, save({ status: 'failed', reason: `status_${CLOSED.unreadable}`, wanted: false, ...RESTING })];
}

function fail(state: DeviceState, reason: string, replyTo?: ReplyTo<null>): DeviceStep {
  const [next, ...leaving] = leave(unwanted(state), { phase: 'failed', dial: state.line.dial });
  const facts = { ...next.facts, credentials: null };
  return [{ ...next, facts }, ...leaving, save({ status: 'failed', reason, wanted: false, credentials: null, ...RESTING }, replyTo)];
}

const isSteady = (line: LineState, now: number): boolean => line.phase === 'online' && now - line.since >= STEADY_MS;
const deadline = (number: number, ms: number): CoreEffect<DeviceEvent> =>
  after<DeviceEvent>('deadline', ms, { type: 'overdue', dial: number, luck: 0.5 });
