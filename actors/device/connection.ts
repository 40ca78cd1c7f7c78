import { after, type CoreEffect, cancel, type ReplyTo, refuse, reply, stop } from '../../runtime/behaviour.ts';
import type { DevicePatch, SessionStatus } from '../../store/devices.ts';
import { CLOSED, type LineEvent } from '../network/port.ts';
import { refusal } from '../refusals.ts';
import type { DeviceStep } from './device.ts';
import * as outbox from './outbox.ts';
import type { DeviceEffect, DeviceEvent, DeviceState, LineState, WantsCode } from './protocol.ts';

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

type Effects = readonly (DeviceEffect | CoreEffect<DeviceEvent>)[];
type Said<T> = Extract<LineEvent, { readonly type: T }>;

const RESTING = { qr: null, pairing: null } satisfies DevicePatch;

/**
 * First step after waking. A device that was online moved here, or its process died: it stays `connected` for its users, whose messages
 * wait, until coming back has failed.
 */
export function wake(state: DeviceState): DeviceStep {
  const { wanted, status } = state.facts;
  const [next, ...dialling] = wanted ? dial(state, 0) : ([state] as const);
  if (status === 'failed') return [next, ...dialling];
  const shown = wanted && status === 'connected' ? status : offlineStatus(state);
  return [next, save({ status: shown, ...RESTING }), ...dialling];
}

export function connect(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.line.phase !== 'down' && state.line.phase !== 'failed' && state.line.phase !== 'backingOff')
    return [state, reply(replyTo, null)];
  const [next, ...dialling] = dial(wanted(state), 0);
  return [next, cancel('retry'), save({ wanted: true, status: 'pending', reason: null, ...RESTING }, replyTo), ...dialling];
}

export function disconnect(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.line.phase === 'failed') return [state, refuse(replyTo, refusal('CONFLICT', { reason: 'link the device again first' }))];
  const [next, ...leaving] = leave(unwanted(state), { phase: 'down', dial: state.line.dial });
  return [next, ...leaving, { do: 'hangUp' }, save({ wanted: false, status: offlineStatus(state), reason: null, ...RESTING }, replyTo)];
}

/** Asks to be offline as soon as nothing is on the wire any more (`rest`). */
export function drain(state: DeviceState, must: boolean, replyTo: ReplyTo<null>): DeviceStep {
  const pairing = state.line.phase === 'linking' || (state.line.phase === 'dialling' && state.facts.credentials === null);
  if (pairing && !must) return [state, refuse(replyTo, refusal('CONFLICT', { reason: 'a phone is being linked' }))];
  return [{ ...state, draining: replyTo }];
}

/** Offline for the next owner: the wish to be online stays, and so does what its users see. */
export function rest(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  const [next, ...leaving] = leave({ ...state, draining: null }, { phase: 'down', dial: state.line.dial });
  const patch: DevicePatch = state.line.phase === 'linking' ? { status: 'pending', node: null, ...RESTING } : { node: null };
  return [next, ...leaving, { do: 'hangUp' }, save(patch, replyTo)];
}

export function restart(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.facts.credentials === null) return [state, refuse(replyTo, refusal('CONFLICT', { reason: 'the device is not linked' }))];
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
  if (state.facts.credentials === null) return [state, refuse(replyTo, refusal('CONFLICT', { reason: 'the device is not linked' }))];
  if (state.line.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  const [next, ...effects] = fail(state, 'logged_out', replyTo);
  return [next, { do: 'logOut' }, ...effects];
}

/** The network gives a code only after its first QR: a wish that comes earlier waits in the phase. */
export function pairByCode(state: DeviceState, want: WantsCode): DeviceStep {
  const no = (reason: string): DeviceStep => [state, refuse(want.replyTo, refusal('CONFLICT', { reason }))];
  if (state.facts.credentials !== null) return no('the device is linked already');
  switch (state.line.phase) {
    case 'linking':
      return [state, { do: 'askCode', want }, save({ pairing: { step: 'code' } })];
    case 'down':
    case 'failed': {
      const [next, ...dialling] = dial(wanted(state), 0, want);
      return [next, save({ wanted: true, status: 'pending', reason: null, ...RESTING }), ...dialling];
    }
    default:
      return no('the device is connecting');
  }
}

/** Asks for a place among this node's logins; `dialled` is heard when the line is open. */
export function dial(state: DeviceState, failures: number, wantsCode: WantsCode | null = null): DeviceStep {
  const number = state.line.dial + 1;
  const line: LineState = { phase: 'dialling', dial: number, failures, wantsCode };
  return [
    { ...state, line },
    { do: 'dial', dial: number, credentials: state.facts.credentials },
  ];
}

export function dialled(state: DeviceState): DeviceStep {
  const { line, facts } = state;
  if (line.phase !== 'dialling') return [state];
  const { dial: number, failures, wantsCode } = line;
  if (facts.credentials !== null)
    return [{ ...state, line: { phase: 'connecting', dial: number, failures } }, deadline(number, CONNECTING_MS)];
  return [{ ...state, line: { phase: 'linking', dial: number, wantsCode, saved: false, over: false } }, deadline(number, LINKING_MS)];
}

export function qrShown(state: DeviceState, { qr, expiresAt }: Said<'qr'>): DeviceStep {
  if (state.line.phase !== 'linking') return [state];
  const { wantsCode } = state.line;
  const pairing = { step: wantsCode ? 'code' : 'qr' } as const;
  const shown = save({ status: 'qr_ready', qr: { code: qr, expires_at: expiresAt }, pairing });
  if (!wantsCode) return [state, shown];
  return [{ ...state, line: { ...state.line, wantsCode: null } }, shown, { do: 'askCode', want: wantsCode }];
}

/** A phone linked us. Nothing else happens before the credentials are stored: a login that is forgotten is a device lost. */
export function linked(state: DeviceState, { phone, credentials }: Said<'linked'>): DeviceStep {
  if (state.line.phase !== 'linking') return [state];
  const facts = { ...state.facts, phone, credentials };
  const patch: DevicePatch = { credentials, phone_number: phone, status: 'pending', ...RESTING };
  return [
    { ...state, facts },
    { do: 'save', patch, hear: { type: 'linkSaved', dial: state.line.dial } },
  ];
}

export function linkSaved(state: DeviceState): DeviceStep {
  if (state.line.phase !== 'linking') return [state];
  return state.line.over ? redial(state) : [{ ...state, line: { ...state.line, saved: true } }];
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
  const [next, ...recovering] = outbox.open({ ...state, facts, line: { phase: 'online', dial: number, failures, since: now } });
  return [next, cancel('deadline'), save(patch), ...recovering];
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
    case CLOSED.restart:
      return restartRequired(state);
    case CLOSED.replaced:
      return [state, { do: 'checkOwner', dial: state.line.dial }];
    default:
      return state.line.phase === 'linking' && !state.facts.credentials ? codesRanOut(state) : lost(state, `status_${code}`, luck, now);
  }
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

/** Replaced (440): whoever no longer owns the device goes away for good; the owner waits, then takes the login back. */
export function ownerChecked(state: DeviceState, mine: boolean): DeviceStep {
  if (!mine) return [state, stop];
  const failures = failuresOf(state.line) + 1;
  const [next, ...leaving] = leave(state, { phase: 'backingOff', dial: state.line.dial, failures });
  const pauseMs = Math.min(REPLACED_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS * 12);
  return [next, ...leaving, save({ status: 'disconnected', reason: 'replaced' }), after('retry', pauseMs, { type: 'retryDue' })];
}

function restartRequired(state: DeviceState): DeviceStep {
  if (state.line.phase !== 'linking' || !state.facts.credentials) return redial(state);
  return state.line.saved ? redial(state) : [{ ...state, line: { ...state.line, over: true } }];
}

function redial(state: DeviceState): DeviceStep {
  const [down, ...leaving] = leave(state, { phase: 'down', dial: state.line.dial });
  const [next, ...dialling] = dial(down, 0);
  return [next, ...leaving, ...dialling];
}

function codesRanOut(state: DeviceState): DeviceStep {
  const [next, ...leaving] = leave(unwanted(state), { phase: 'down', dial: state.line.dial });
  return [next, ...leaving, save({ status: 'pending', wanted: false, ...RESTING })];
}

function lost(state: DeviceState, reason: string, luck: number, now: number): DeviceStep {
  const { line } = state;
  const failures = line.phase === 'online' && now - line.since >= STEADY_MS ? 1 : failuresOf(line) + 1;
  const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  const [next, ...leaving] = leave(state, { phase: 'backingOff', dial: line.dial, failures });
  const told =
    line.phase === 'online' ? save({ status: 'disconnected', reason, last_seen_at: now }) : save({ status: 'disconnected', reason });
  return [next, ...leaving, told, after('retry', Math.round(luck * ceiling), { type: 'retryDue' })];
}

function fail(state: DeviceState, reason: string, replyTo?: ReplyTo<null>): DeviceStep {
  const [next, ...leaving] = leave(unwanted(state), { phase: 'failed', dial: state.line.dial });
  const facts = { ...next.facts, credentials: null };
  return [{ ...next, facts }, ...leaving, save({ status: 'failed', reason, wanted: false, credentials: null, ...RESTING }, replyTo)];
}

/** Out of an open line into a resting phase: timers stop, whoever waits for this line is told. */
function leave(state: DeviceState, line: LineState): DeviceStep {
  const waiting = 'wantsCode' in state.line && state.line.wantsCode;
  const unanswered: Effects = waiting ? [refuse(waiting.replyTo, refusal('NOT_CONNECTED'))] : [];
  const [next, ...closing] = outbox.close({ ...state, line });
  return [next, cancel('deadline'), cancel('retry'), ...unanswered, ...closing];
}

const wanted = (state: DeviceState): DeviceState => ({ ...state, facts: { ...state.facts, wanted: true } });
const unwanted = (state: DeviceState): DeviceState => ({ ...state, facts: { ...state.facts, wanted: false } });
const isActive = ({ phase }: LineState): boolean => phase === 'linking' || phase === 'connecting' || phase === 'online';
const failuresOf = (line: LineState): number => ('failures' in line ? line.failures : 0);
const offlineStatus = ({ facts }: DeviceState): SessionStatus => (facts.credentials === null ? 'pending' : 'disconnected');
const deadline = (number: number, ms: number): CoreEffect<DeviceEvent> =>
  after<DeviceEvent>('deadline', ms, { type: 'overdue', dial: number, luck: 0.5 });
const save = (patch: DevicePatch, replyTo?: ReplyTo<null>): DeviceEffect => ({ do: 'save', patch, ...(replyTo && { replyTo }) });
