import { after, type CoreEffect, cancel, type ReplyTo, refuse } from '../../../runtime/actor-system/behaviour.ts';
import type { DevicePatch, SessionStatus } from '../../../store/devices/devices.ts';
import { refusal } from '../../domain/refusals.ts';
import { youngUntil } from '../../domain/warm-up.ts';
import type { ConnectionEvent } from '../../network/port.ts';
import type { ConnectionState, DeviceEffect, DeviceEvent, DeviceState, DeviceStep, WantsCode } from '../protocol.ts';
import * as pendingActions from './message-actions.ts';
import * as questions from './questions.ts';
import * as sending from './sending.ts';

/** Building blocks shared by all connection changes. */

export type EventOf<T> = Extract<ConnectionEvent, { readonly type: T }>;

export const NO_CODES = { qr: null, pairing: null } satisfies DevicePatch;

interface Opening {
  readonly wantsCode?: WantsCode;
  readonly byItself?: boolean;
}

/** Requests a connection. `connectStarted` follows when the rate limiter starts the login. */
export function open(state: DeviceState, failures: number, { wantsCode, byItself = false }: Opening = {}): DeviceStep {
  const connectionId = state.connection.connectionId + 1;
  const connection: ConnectionState = { phase: 'opening', connectionId, failures, wantsCode: wantsCode ?? null };
  const { credentials, proxyUrl } = state.facts;
  return [
    { ...state, connection },
    { do: 'connect', connectionId, credentials, proxyUrl, byItself },
  ];
}

export function reopen(state: DeviceState): DeviceStep {
  const [down, ...leaving] = leave(state, { phase: 'down', connectionId: state.connection.connectionId });
  const [next, ...opening] = open(down, 0);
  return [next, ...leaving, ...opening];
}

export function leave(state: DeviceState, connection: ConnectionState): DeviceStep {
  const waiting = 'wantsCode' in state.connection && state.connection.wantsCode;
  const unanswered = waiting ? [refuse(waiting.replyTo, refusal('NOT_CONNECTED'))] : [];
  const [closed, ...closing] = sending.close({ ...state, connection });
  const [left, ...leaving] = pendingActions.close(closed);
  const [next, ...refusing] = questions.close(left);
  return [next, cancel('deadline'), cancel('retry'), cancel('list'), ...unanswered, ...closing, ...leaving, ...refusing];
}

export function aged(state: DeviceState): DeviceStep {
  const { linkedAt, pacing, warmupUntil } = state.facts;
  const until = youngUntil(linkedAt, pacing.warmupDays ?? null);
  if (until === warmupUntil) return [state];
  return [{ ...state, facts: { ...state.facts, warmupUntil: until } }, save({ warmup_until_ms: until })];
}

export const save = (patch: DevicePatch, replyTo?: ReplyTo<null>): Extract<DeviceEffect, { readonly do: 'save' }> => ({
  do: 'save',
  patch,
  ...(replyTo && { replyTo }),
});
export const deadline = (connectionId: number, ms: number): CoreEffect<DeviceEvent> =>
  after<DeviceEvent>('deadline', ms, { type: 'overdue', connectionId, jitter: 0.5 });
export const wanted = (state: DeviceState): DeviceState => ({ ...state, facts: { ...state.facts, wanted: true } });
export const unwanted = (state: DeviceState): DeviceState => ({ ...state, facts: { ...state.facts, wanted: false } });
export const isActive = ({ phase }: ConnectionState): boolean => phase === 'linking' || phase === 'connecting' || phase === 'online';
export const failuresOf = (connection: ConnectionState): number => ('failures' in connection ? connection.failures : 0);
export const offlineStatus = ({ facts }: DeviceState): SessionStatus => (facts.credentials === null ? 'pending' : 'disconnected');
