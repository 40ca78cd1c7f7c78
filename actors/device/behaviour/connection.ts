import { isDeepStrictEqual } from 'node:util';
import { after, cancel, type ReplyTo, refuse, reply } from '../../../runtime/actor-system/behaviour.ts';
import type { DevicePatch } from '../../../store/devices/devices.ts';
import { refusal } from '../../domain/refusals.ts';
import { type LoginRefusal, lostBy, NO_REASON, type Offline, offline, pauseAfter, refusalOf } from '../../domain/refused-login.ts';
import { CLOSED } from '../../network/port.ts';
import type { ConnectionState, DeviceState, DeviceStep } from '../protocol.ts';
import {
  aged,
  deadline,
  type EventOf,
  failuresOf,
  isActive,
  leave,
  NO_CODES,
  offlineStatus,
  open,
  reopen,
  save,
  unwanted,
  wanted,
} from './connection-steps.ts';
import { type DeviceSettings, OFFICIAL_LOGIN, type Pacing } from './facts.ts';
import { codesRanOut, comeAgain, notLinked } from './linking.ts';
import * as pendingActions from './message-actions.ts';
import { isMoving, isOther, movedElsewhere, numberMismatch, watch } from './move-in.ts';
import { NO_PAUSE } from './pacing.ts';
import * as questions from './questions.ts';
import * as restriction from './restriction.ts';
import * as sending from './sending.ts';

/**
 * Manages the connection of one device. A diagram of its phases is in protocol.ts. Every status
 * change is saved in the device's row with its reason. The connection itself is kept in the
 * device's state.
 */

/** Time limit for linking. The network usually ends it earlier, after showing codes for 160 s. */
const LINKING_MS = 300_000;
const CONNECTING_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** Pause after another computer took over the login. Otherwise, both would evict each other forever. */
const REPLACED_PAUSE_MS = 60_000;
const STEADY_MS = 60_000;
const DAY_MS = 86_400_000;

const BY_ITSELF = { byItself: true } as const;

const NOT_LINKED = { en: 'the device is not linked', id: 'perangkat tidak tertaut' };
const CONNECT_IT = { en: 'the device has failed; connect it again', id: 'perangkat gagal; hubungkan kembali' };
const FAILED = { en: 'link the device again first', id: 'tautkan kembali perangkat terlebih dahulu' };

/** Users still see a device as `connected` if it was online before, until reconnecting has failed. */
export function wake(state: DeviceState, now: number): DeviceStep {
  const { wanted, status, retryAt } = state.facts;
  const [young, ...aging] = aged(state);
  const [next, ...opening] = !wanted
    ? ([young] as const)
    : retryAt === null
      ? open(young, 0, BY_ITSELF)
      : waitFor(young, retryAt - now, now);
  const lifting = restriction.resumed(state);
  if (status === 'failed') return [next, ...aging, ...lifting, ...opening];
  const shown = wanted && status === 'connected' ? status : offlineStatus(state);
  return [next, ...aging, ...lifting, save({ status: shown, ...NO_CODES }), ...opening];
}

export function connect(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.connection.phase !== 'down' && state.connection.phase !== 'failed' && state.connection.phase !== 'backingOff')
    return [state, reply(replyTo, null)];
  const [next, ...opening] = open(wanted(state), failuresOf(state.connection));
  return [next, cancel('retry'), save({ wanted: true, status: 'pending', ...NO_REASON, ...NO_CODES }, replyTo), ...opening];
}

export function disconnect(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.connection.phase === 'failed') return [state, refuse(replyTo, refusal('CONFLICT', { reason: FAILED }))];
  const [next, ...leaving] = leave(unwanted(state), { phase: 'down', connectionId: state.connection.connectionId });
  return [next, ...leaving, { do: 'hangUp' }, save({ wanted: false, status: offlineStatus(state), ...NO_REASON, ...NO_CODES }, replyTo)];
}

export function restart(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.facts.credentials === null) return [state, refuse(replyTo, refusal('CONFLICT', { reason: NOT_LINKED }))];
  if (state.connection.phase === 'failed') return [state, refuse(replyTo, refusal('CONFLICT', { reason: CONNECT_IT }))];
  const [down, ...leaving] = leave(wanted(state), { phase: 'down', connectionId: state.connection.connectionId });
  const [next, ...opening] = open(down, 0);
  return [
    next,
    ...leaving,
    { do: 'hangUp' },
    save({ wanted: true, status: 'disconnected', ...NO_REASON, ...NO_CODES }, replyTo),
    ...opening,
  ];
}

export function logOut(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (state.facts.credentials === null) return [state, refuse(replyTo, refusal('CONFLICT', { reason: NOT_LINKED }))];
  if (state.connection.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  const [next, ...effects] = fail(state, { reason: 'logged_out' }, replyTo);
  return [next, { do: 'logOut' }, ...effects];
}

export function retryDue(state: DeviceState): DeviceStep {
  const { connection, facts } = state;
  const isDue = connection.phase === 'backingOff' || (connection.phase === 'down' && facts.wanted);
  return isDue ? open(state, failuresOf(connection), BY_ITSELF) : [state];
}

export function buildChanged(state: DeviceState): DeviceStep {
  const isRefused = state.reason === 'client_outdated' || state.reason === 'network_refused';
  if (state.connection.phase !== 'backingOff' || !isRefused) return [state];
  const [next, ...opening] = open(state, 0, BY_ITSELF);
  return [next, cancel('retry'), ...opening];
}

export function dialled(state: DeviceState): DeviceStep {
  const { connection, facts } = state;
  if (connection.phase !== 'opening') return [state];
  const { connectionId: number, failures, wantsCode } = connection;
  if (facts.credentials !== null)
    return [{ ...state, connection: { phase: 'connecting', connectionId: number, failures } }, deadline(number, CONNECTING_MS)];
  return [
    {
      ...state,
      connection: {
        phase: 'linking',
        connectionId: number,
        wantsCode,
        shown: false,
        byCode: false,
        passkey: null,
        saved: false,
        over: false,
      },
    },
    deadline(number, LINKING_MS),
  ];
}

interface Announced {
  readonly version: string | null;
}

export function opened(
  state: DeviceState,
  { phone, lid, name, about, version }: EventOf<'opened'> & Announced,
  jitter: number,
  now: number,
): DeviceStep {
  if (state.connection.phase !== 'connecting') return [state];
  if (isOther(state, { phone, ...(lid !== undefined && { lid }) })) return numberMismatch(state);
  const { connectionId: number, failures } = state.connection;
  const reconnects = [...state.facts.reconnects.filter((at) => now - at < DAY_MS), now];
  const [watched, watching, ...timers] = watch(state, now);
  const facts = { ...watched.facts, phone, reconnects };
  const patch: DevicePatch = {
    ...watching,
    status: 'connected',
    phone_number: phone,
    wa_name: name,
    wa_about: about,
    connected_at: now,
    last_seen_at: now,
    client_version: version,
    ...NO_REASON,
    reconnects,
    ...NO_CODES,
  };
  const [open, ...recovering] = sending.open({
    ...state,
    facts,
    connection: { phase: 'online', connectionId: number, failures, since: now },
  });
  const [next, ...resuming] = pendingActions.open(open);
  return [next, cancel('deadline'), ...timers, save(patch), ...recovering, ...resuming, { do: 'mirrorChats' }, questions.listSoon(jitter)];
}

export function closed(state: DeviceState, { code, until, failed, version = null }: Closed, jitter: number, now: number): DeviceStep {
  if (!isActive(state.connection)) return [state];
  if (failed !== undefined) return stopped(state, { reason: failed });
  const refusal = refusalOf(code);
  if (refusal) return refused(state, { reason: refusal, code, until: until ?? null, version }, jitter, now);
  switch (code) {
    case CLOSED.loggedOut:
      return fail(state, { reason: 'logged_out', code });
    case CLOSED.banned:
      return fail(state, { reason: 'banned', code });
    case CLOSED.unreadable:
      return unreadable(state);
    case CLOSED.proxy:
      return state.facts.credentials === null ? fail(state, lostBy(code)) : lost(state, lostBy(code), jitter, now);
    case CLOSED.restart:
      return state.connection.phase === 'linking' ? comeAgain(state, state.connection) : restartRequired(state, jitter, now);
    case CLOSED.replaced:
      return isMoving(state.facts.moving) ? movedElsewhere(state) : replaced(state);
    default:
      return isUnlinked(state) ? linkingEnded(state, code) : lost(state, lostBy(code), jitter, now);
  }
}

type Closed = Pick<EventOf<'closed'>, 'code' | 'until' | 'failed'> & Partial<Announced>;

const isUnlinked = ({ connection, facts }: DeviceState): boolean => connection.phase === 'linking' && facts.credentials === null;

const linkingEnded = (state: DeviceState, code: number): DeviceStep =>
  code === CLOSED.codesRanOut || code === CLOSED.normally ? codesRanOut(state) : notLinked(state, lostBy(code));

function refused(
  state: DeviceState,
  { version, ...refusal }: Offline & Announced & { readonly reason: LoginRefusal },
  jitter: number,
  now: number,
): DeviceStep {
  if (isUnlinked(state)) return notLinked(state, refusal);
  const { connection } = state;
  const pauseMs = pauseAfter(refusal.until ?? null, longestPause(failuresSoFar(connection, now)), jitter, now);
  const [next, ...waiting] = waitFor(state, pauseMs, now);
  const seen: DevicePatch = connection.phase === 'online' ? { last_seen_at: now } : {};
  const told = save({
    status: offlineStatus(state),
    ...offline({ ...refusal, retryAt: now + pauseMs }),
    client_version: version,
    ...NO_CODES,
    ...seen,
  });
  return [next, ...waiting, told];
}

function waitFor(state: DeviceState, pauseMs: number, now: number): DeviceStep {
  const { connection } = state;
  const failures = failuresSoFar(connection, now) + 1;
  const [next, ...leaving] = leave(state, { phase: 'backingOff', connectionId: connection.connectionId, failures });
  return [next, ...leaving, after('retry', pauseMs, { type: 'retryDue' })];
}

export function credentialsChanged(state: DeviceState, { credentials }: EventOf<'credentials'>): DeviceStep {
  if (state.facts.credentials === null) return [state];
  return [{ ...state, facts: { ...state.facts, credentials } }, save({ credentials })];
}

export function changed(state: DeviceState, settings: DeviceSettings, now: number): DeviceStep {
  const { pacing, credentials, isOfficial } = state.facts;
  const moved = settings.isOfficial ? OFFICIAL_LOGIN : null;
  const login = settings.isOfficial === isOfficial ? credentials : moved;
  const next = { ...state, facts: { ...state.facts, ...settings, pacing, credentials: login } };
  return isDeepStrictEqual(pacing, settings.pacing) ? [next] : repaced(next, settings.pacing, now);
}

export function repaced(state: DeviceState, pacing: Pacing, now: number): DeviceStep {
  const [next, ...aging] = aged({ ...state, facts: { ...state.facts, pacing }, sending: { ...state.sending, pace: NO_PAUSE } });
  const [pumped, ...effects] = sending.workArrived(next, {}, now);
  return [pumped, ...aging, ...effects];
}

export function overdue(state: DeviceState, jitter: number, now: number): DeviceStep {
  if (!isActive(state.connection)) return [state];
  const code = state.connection.phase === 'connecting' ? CLOSED.unreachable : CLOSED.codesRanOut;
  const [next, ...effects] = closed(state, { code }, jitter, now);
  return [next, { do: 'hangUp' }, ...effects];
}

/** Reconnects, because the state in memory may differ from the stored state. */
export function storeFailed(state: DeviceState, jitter: number, now: number): DeviceStep {
  if (!isActive(state.connection)) return [state];
  const [next, ...effects] = lost(state, lostBy(CLOSED.failed), jitter, now);
  return [next, { do: 'hangUp' }, ...effects];
}

/** Pauses after another login replaced this one. Meanwhile, this node notices if the device has moved. */
function replaced(state: DeviceState): DeviceStep {
  const failures = failuresOf(state.connection) + 1;
  const [next, ...leaving] = leave(state, { phase: 'backingOff', connectionId: state.connection.connectionId, failures });
  const pauseMs = Math.min(REPLACED_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS * 12);
  const told = save({ status: offlineStatus(state), ...offline({ reason: 'replaced', code: CLOSED.replaced }), ...NO_CODES });
  return [next, ...leaving, told, after('retry', pauseMs, { type: 'retryDue' })];
}

function restartRequired(state: DeviceState, jitter: number, now: number): DeviceStep {
  return isSteady(state.connection, now) ? reopen(state) : lost(state, lostBy(CLOSED.restart), jitter, now);
}

function lost(state: DeviceState, why: Offline, jitter: number, now: number): DeviceStep {
  const { connection } = state;
  const [next, ...waiting] = waitFor(state, Math.round(jitter * longestPause(failuresSoFar(connection, now))), now);
  const told: DevicePatch = {
    status: offlineStatus(state),
    ...offline(why),
    ...NO_CODES,
    ...(connection.phase === 'online' && { last_seen_at: now }),
  };
  return [next, ...waiting, save(told)];
}

const failuresSoFar = (connection: ConnectionState, now: number): number => (isSteady(connection, now) ? 0 : failuresOf(connection));
const longestPause = (failures: number): number => Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);

/** Keeps the login, so that the device can connect once its credentials are readable again. */
const unreadable = (state: DeviceState): DeviceStep => stopped(state, lostBy(CLOSED.unreadable));

function stopped(state: DeviceState, why: Offline): DeviceStep {
  const [next, ...leaving] = leave(unwanted(state), { phase: 'failed', connectionId: state.connection.connectionId });
  return [next, ...leaving, save({ status: 'failed', ...offline(why), wanted: false, ...NO_CODES })];
}

/** Fails the device and its messages. After a crash between the two writes, the next owner repeats both. */
function fail(state: DeviceState, why: Offline, replyTo?: ReplyTo<null>): DeviceStep {
  const [next, ...leaving] = leave(unwanted(state), { phase: 'failed', connectionId: state.connection.connectionId });
  if (state.facts.isOfficial) return stopped(state, why);
  const facts = { ...next.facts, credentials: null };
  const told = save({ status: 'failed', ...offline(why), wanted: false, credentials: null, ...NO_CODES }, replyTo);
  return [{ ...next, facts }, ...leaving, { do: 'failOnWire' }, told];
}

const isSteady = (connection: ConnectionState, now: number): boolean =>
  connection.phase === 'online' && now - connection.since >= STEADY_MS;
