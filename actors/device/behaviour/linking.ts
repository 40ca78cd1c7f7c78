import { cancel, refuse } from '../../../runtime/actor-system/behaviour.ts';
import type { DevicePatch } from '../../../store/devices/devices.ts';
import { refusal } from '../../domain/refusals.ts';
import { NO_REASON, type Offline, offline } from '../../domain/refused-login.ts';
import type { ConnectionState, DeviceState, DeviceStep, WantsCode } from '../protocol.ts';
import { aged, type EventOf, failuresOf, leave, NO_CODES, open, reopen, save, unwanted, wanted } from './connection-steps.ts';
import { stepOf } from './passkey.ts';
import { fresh } from './questions.ts';

/**
 * Links a phone, from the first QR or pairing code to stored credentials. The state is the
 * `linking` phase and is kept in memory. The codes being shown are in the device's row.
 */

const LINKED = { en: 'the device is already linked', id: 'perangkat sudah tertaut' };
const PASSKEY = { en: 'the network requires a passkey', id: 'jaringan meminta passkey' };
const ASKED = { en: 'a code has already been requested', id: 'kode sudah diminta' };

/** The network issues a pairing code only after its first QR code, so an early request waits. */
export function pairByCode(state: DeviceState, want: WantsCode): DeviceStep {
  const { connection, facts } = state;
  if (facts.credentials !== null) return [state, refuse(want.replyTo, refusal('CONFLICT', { reason: LINKED }))];
  if (stepOf(state)) return [state, refuse(want.replyTo, refusal('CONFLICT', { reason: PASSKEY }))];
  if (connection.phase === 'linking' && connection.shown)
    return [{ ...state, connection: { ...connection, byCode: true } }, { do: 'askCode', want }, showing('code')];
  if (connection.phase === 'linking' || connection.phase === 'opening') return wait(state, connection, want);
  const [next, ...opening] = open(wanted(state), failuresOf(connection), { wantsCode: want });
  return [next, cancel('retry'), save({ wanted: true, status: 'pending', ...NO_REASON, ...NO_CODES }), ...opening];
}

export function qrShown(state: DeviceState, { qr, expiresAt }: EventOf<'qr'>): DeviceStep {
  const { connection } = state;
  if (connection.phase !== 'linking') return [state];
  const { wantsCode } = connection;
  const byCode = connection.byCode || wantsCode !== null;
  const next: DeviceState = { ...state, connection: { ...connection, wantsCode: null, byCode, passkey: null, shown: true } };
  const shown = save({ status: 'qr_ready', qr: { code: qr, expires_at: expiresAt }, pairing: { step: byCode ? 'code' : 'qr' } });
  return wantsCode ? [next, shown, { do: 'askCode', want: wantsCode }] : [next, shown];
}

/** Stores the credentials first, because losing them would mean losing the device. */
export function linked(state: DeviceState, { phone, credentials }: EventOf<'linked'>, now: number): DeviceStep {
  if (state.connection.phase !== 'linking') return [state];
  // Relinking the same phone does not restart the warm-up.
  const isSame = phone === state.facts.phone;
  const linkedAt = (isSame ? state.facts.linkedAt : null) ?? now;
  const known = isSame ? state : fresh(state);
  const [next, ...aging] = aged({ ...known, facts: { ...state.facts, phone, credentials, linkedAt, groupsListedAt: null } });
  const patch: DevicePatch = {
    credentials,
    phone_number: phone,
    linked_at: linkedAt,
    groups_listed_at: null,
    linked_ceremony: state.connection.passkey?.ceremony.id ?? null,
    status: 'pending',
    ...NO_CODES,
  };
  return [next, ...aging, { do: 'save', patch, receive: { type: 'linkSaved', connectionId: state.connection.connectionId } }];
}

export function linkSaved(state: DeviceState): DeviceStep {
  if (state.connection.phase !== 'linking') return [state];
  return state.connection.over ? reopen(state) : [{ ...state, connection: { ...state.connection, saved: true } }];
}

/** The network closes a newly linked connection (515). Reconnects once the login is stored. */
export function comeAgain(state: DeviceState, connection: Extract<ConnectionState, { phase: 'linking' }>): DeviceStep {
  if (state.facts.credentials === null) return codesRanOut(state);
  return connection.saved ? reopen(state) : [{ ...state, connection: { ...connection, over: true } }];
}

export const codesRanOut = (state: DeviceState): DeviceStep => notLinked(state, { reason: null });

export function notLinked(state: DeviceState, why: Offline): DeviceStep {
  const [next, ...leaving] = leave(unwanted(state), { phase: 'down', connectionId: state.connection.connectionId });
  return [next, ...leaving, save({ status: 'pending', wanted: false, ...offline(why), ...NO_CODES })];
}

function wait(state: DeviceState, connection: Extract<ConnectionState, { wantsCode: unknown }>, want: WantsCode): DeviceStep {
  if (connection.wantsCode) return [state, refuse(want.replyTo, refusal('CONFLICT', { reason: ASKED }))];
  return [{ ...state, connection: { ...connection, wantsCode: want } }];
}

const showing = (step: 'qr' | 'code') => save({ pairing: { step } });
