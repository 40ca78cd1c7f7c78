import { cancel, type ReplyTo, refuse } from '../../runtime/behaviour.ts';
import type { DevicePatch, SessionStatus } from '../../store/devices.ts';
import type { LineEvent } from '../network/port.ts';
import { refusal } from '../refusals.ts';
import * as acting from './acting.ts';
import * as outbox from './outbox.ts';
import type { DeviceEffect, DeviceState, DeviceStep, LineState, WantsCode } from './protocol.ts';
import { youngUntil } from './warm-up.ts';

/** The moves of which every change of the line is made. */

export type Said<T> = Extract<LineEvent, { readonly type: T }>;

/** What is shown of linking, when nobody is linking. */
export const RESTING = { qr: null, pairing: null } satisfies DevicePatch;

/** Asks for a place among this node's logins; `dialled` is heard when the line is open. */
export function dial(state: DeviceState, failures: number, wantsCode: WantsCode | null = null): DeviceStep {
  const number = state.line.dial + 1;
  const line: LineState = { phase: 'dialling', dial: number, failures, wantsCode };
  const { credentials, proxyUrl } = state.facts;
  return [
    { ...state, line },
    { do: 'dial', dial: number, credentials, proxyUrl },
  ];
}

/** Dials anew at once, with a clean slate. */
export function redial(state: DeviceState): DeviceStep {
  const [down, ...leaving] = leave(state, { phase: 'down', dial: state.line.dial });
  const [next, ...dialling] = dial(down, 0);
  return [next, ...leaving, ...dialling];
}

/** Out of an open line into a resting phase: timers stop, whoever waits for this line is told. */
export function leave(state: DeviceState, line: LineState): DeviceStep {
  const waiting = 'wantsCode' in state.line && state.line.wantsCode;
  const unanswered = waiting ? [refuse(waiting.replyTo, refusal('NOT_CONNECTED'))] : [];
  const [closed, ...closing] = outbox.close({ ...state, line });
  const [next, ...leaving] = acting.close(closed);
  return [next, cancel('deadline'), cancel('retry'), ...unanswered, ...closing, ...leaving];
}

/** Tells until when it is young, where that is not what is stored. */
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
export const wanted = (state: DeviceState): DeviceState => ({ ...state, facts: { ...state.facts, wanted: true } });
export const unwanted = (state: DeviceState): DeviceState => ({ ...state, facts: { ...state.facts, wanted: false } });
export const isActive = ({ phase }: LineState): boolean => phase === 'linking' || phase === 'connecting' || phase === 'online';
export const failuresOf = (line: LineState): number => ('failures' in line ? line.failures : 0);
export const offlineStatus = ({ facts }: DeviceState): SessionStatus => (facts.credentials === null ? 'pending' : 'disconnected');
