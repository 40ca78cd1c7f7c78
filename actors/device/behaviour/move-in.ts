import { after, type CoreEffect, cancel, type ReplyTo, refuse, reply } from '../../../runtime/actor-system/behaviour.ts';
import type { DevicePatch } from '../../../store/devices/devices.ts';
import type { MoveError, MovingLogin } from '../../../store/devices/moving-login.ts';
import { refusal } from '../../domain/refusals.ts';
import { NO_REASON, offline } from '../../domain/refused-login.ts';
import { CLOSED } from '../../network/port.ts';
import type { AdoptedLogin } from '../adopted-login.ts';
import type { DeviceEffect, DeviceEvent, DeviceState, DeviceStep } from '../protocol.ts';
import { aged, leave, NO_CODES, open, save, unwanted } from './connection-steps.ts';
import { fresh } from './questions.ts';

/**
 * Takes over a login from another program without linking again. After `adopt`, the device connects
 * and watches for `WATCH_MS` whether another program uses the login. If one does (440), the login
 * is dropped, because two programs that share a login reuse encryption keys. The state is in the
 * device's row (`moving`).
 */

export const WATCH_MS = 300_000;

const LINKED = { en: 'the device already has a login', id: 'perangkat sudah memiliki login' };
const OFFICIAL = {
  en: 'a number on the official platform cannot be moved in this way',
  id: 'nomor platform resmi tidak dapat dipindahkan dengan cara ini',
};
const UNDER_WAY = { en: 'a login is already being moved to this device', id: 'pemindahan login sedang berlangsung' };

export const isMoving = (moving: MovingLogin | null): moving is MovingLogin =>
  moving !== null && (moving.status === 'dialling' || moving.status === 'watching');

export function adopt(state: DeviceState, login: AdoptedLogin, replyTo: ReplyTo<null>): DeviceStep {
  const { facts } = state;
  if (facts.moving?.id === login.moveId) return [state, reply(replyTo, null)];
  if (facts.isOfficial) return [state, refuse(replyTo, refusal('CONFLICT', { reason: OFFICIAL }))];
  if (facts.credentials !== null) return [state, refuse(replyTo, refusal('CONFLICT', { reason: LINKED }))];
  if (isMoving(facts.moving)) return [state, refuse(replyTo, refusal('CONFLICT', { reason: UNDER_WAY }))];
  const connectionId = state.connection.connectionId + 1;
  const [down, ...leaving] = leave(state, { phase: 'opening', connectionId, failures: 0, wantsCode: null });
  const { phone, lid, moveId: id } = login;
  const moving: MovingLogin = { id, status: 'dialling', phone, lid, until: null, error: null };
  const next = { ...down, facts: { ...down.facts, moving, wanted: true } };
  return [next, ...leaving, { do: 'hangUp' }, { do: 'adopt', login, connectionId, replyTo }];
}

const OTHER_MOVE = { en: 'another login is being moved to this device', id: 'login lain sedang dipindahkan ke perangkat ini' };

export function adopted(
  state: DeviceState,
  { login, connectionId, replyTo }: Extract<DeviceEvent, { type: 'adopted' }>,
  now: number,
): DeviceStep {
  const { moving, phone: former } = state.facts;
  if (moving?.id !== login.moveId) return [state, refuse(replyTo, refusal('CONFLICT', { reason: OTHER_MOVE }))];
  const { credentials, phone } = login;
  const linkedAt = login.linkedAt ?? now;
  const known = phone === former ? state : fresh(state);
  const [young, ...aging] = aged({ ...known, facts: { ...state.facts, phone, credentials, linkedAt, groupsListedAt: null } });
  const patch: DevicePatch = {
    ...{ credentials, moving, phone_number: phone, linked_at: linkedAt, groups_listed_at: null, linked_ceremony: null },
    ...{ status: 'pending', wanted: state.facts.wanted },
    ...NO_REASON,
    ...NO_CODES,
  };
  // If the device was disconnected during the move, it stays offline until a connect command.
  const isOpening = state.connection.phase === 'opening' && state.connection.connectionId === connectionId;
  const [next, ...opening] = isOpening ? open(young, 0) : ([young] as const);
  return [next, ...aging, save(patch, replyTo), ...opening];
}

export function notAdopted(state: DeviceState, { connectionId, replyTo }: Extract<DeviceEvent, { type: 'notAdopted' }>): DeviceStep {
  const next = { ...state, facts: { ...state.facts, moving: null } };
  const refused = refuse(replyTo, refusal('UNAVAILABLE'));
  if (state.connection.connectionId !== connectionId || state.connection.phase !== 'opening') return [next, refused];
  const [down, ...leaving] = leave(next, { phase: 'down', connectionId });
  return [down, ...leaving, refused];
}

export const isOther = ({ facts: { moving } }: DeviceState, { phone, lid }: { readonly phone: string; readonly lid?: string }): boolean =>
  isMoving(moving) && (moving.phone !== phone || (lid !== undefined && moving.lid !== null && moving.lid !== lid));

/** Watches for another program that uses the login. Starts over if the watch ended while offline. */
export function watch(state: DeviceState, now: number): readonly [DeviceState, DevicePatch, ...CoreEffect<DeviceEvent>[]] {
  const { moving } = state.facts;
  if (!isMoving(moving)) return [state, {}];
  const until = moving.until !== null && moving.until > now ? moving.until : now + WATCH_MS;
  const watched: MovingLogin = { ...moving, status: 'watching', until };
  const next = { ...state, facts: { ...state.facts, moving: watched } };
  return [next, { moving: watched }, after<DeviceEvent>('watch', until - now, { type: 'watched' })];
}

export function watched(state: DeviceState): DeviceStep {
  const { moving } = state.facts;
  if (moving?.status !== 'watching' || state.connection.phase !== 'online') return [state];
  const done: MovingLogin = { ...moving, status: 'done' };
  return [{ ...state, facts: { ...state.facts, moving: done } }, save({ moving: done })];
}

export const movedElsewhere = (state: DeviceState): DeviceStep =>
  dropLogin(state, 'MOVED_ELSEWHERE', { reason: 'moved_elsewhere', code: CLOSED.replaced });

export const numberMismatch = (state: DeviceState): DeviceStep => dropLogin(state, 'NUMBER_MISMATCH', { reason: 'number_mismatch' });

function dropLogin(state: DeviceState, error: MoveError, why: { readonly reason: string; readonly code?: number }): DeviceStep {
  const { moving } = state.facts;
  const [left, ...leaving] = leave(unwanted(state), { phase: 'failed', connectionId: state.connection.connectionId });
  const failed: MovingLogin | null = moving && { ...moving, status: 'failed', error };
  const next = { ...left, facts: { ...left.facts, credentials: null, moving: failed } };
  const told = save({ status: 'failed', ...offline(why), wanted: false, credentials: null, moving: failed, ...NO_CODES });
  return [next, ...leaving, cancel('watch'), { do: 'hangUp' }, { do: 'failOnWire' }, told, { do: 'forgetLogin' }];
}

type Save = Extract<DeviceEffect, { readonly do: 'save' }>;

export function withMoveEnded([state, ...effects]: DeviceStep): DeviceStep {
  const { moving } = state.facts;
  if (!isMoving(moving) || state.connection.phase !== 'failed') return [state, ...effects];
  const failed: MovingLogin = { ...moving, status: 'failed', error: 'LOGIN_REFUSED' };
  const ended = effects.map((effect) => (isFailure(effect) ? { ...effect, patch: { ...effect.patch, moving: failed } } : effect));
  return [{ ...state, facts: { ...state.facts, moving: failed } }, ...ended];
}

const isFailure = (effect: { readonly do: string }): effect is Save =>
  effect.do === 'save' &&
  'patch' in effect &&
  typeof effect.patch === 'object' &&
  effect.patch !== null &&
  'status' in effect.patch &&
  effect.patch.status === 'failed';
