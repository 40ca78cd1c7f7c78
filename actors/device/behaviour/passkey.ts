import { type ReplyTo, refuse } from '../../../runtime/actor-system/behaviour.ts';
import type { DevicePairing } from '../../../store/devices/devices.ts';
import { refusal } from '../../domain/refusals.ts';
import type { PasskeyCredential } from '../../network/passkey.ts';
import type { DeviceState, DeviceStep, PasskeyStep } from '../protocol.ts';
import { type EventOf, save } from './connection-steps.ts';

/**
 * The network asks some accounts for a passkey after the QR or the pairing code, and may then ask to compare a short code with the phone. The
 * request belongs to one connection, until `linked`: the end of the connection ends it.
 */

const NO_PASSKEY = { en: 'the network does not ask for a passkey', id: 'jaringan tidak meminta passkey' };
const NO_CODE = { en: 'there is no code to confirm', id: 'tidak ada kode yang perlu dikonfirmasi' };

export const asked = (state: DeviceState, { options, expiresAt }: EventOf<'passkeyAsked'>): DeviceStep =>
  show(state, { step: 'passkey', options, expires_at: expiresAt });

export const codeShown = (state: DeviceState, { code, expiresAt }: EventOf<'passkeyConfirm'>): DeviceStep =>
  show(state, { step: 'passkey_confirm', code, expires_at: expiresAt });

/** A credential that the network does not take changes nothing: the step is on until the network moves on. */
export function answer(state: DeviceState, credential: PasskeyCredential, replyTo: ReplyTo<null>): DeviceStep {
  if (stepOf(state) !== 'passkey') return [state, refuse(replyTo, refusal('NOT_FOUND', { reason: NO_PASSKEY }))];
  return [state, { do: 'answerPasskey', credential, replyTo }];
}

export function confirm(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (stepOf(state) !== 'passkey_confirm') return [state, refuse(replyTo, refusal('NOT_FOUND', { reason: NO_CODE }))];
  return [state, { do: 'confirmPasskey', replyTo }];
}

export const stepOf = ({ connection, facts }: DeviceState): PasskeyStep | null =>
  connection.phase === 'linking' && facts.credentials === null ? connection.passkey : null;

/** The code on show is used up. */
function show(state: DeviceState, pairing: Extract<DevicePairing, { readonly step: PasskeyStep }>): DeviceStep {
  const { connection, facts } = state;
  if (connection.phase !== 'linking' || facts.credentials !== null) return [state];
  return [{ ...state, connection: { ...connection, passkey: pairing.step } }, save({ status: 'pending', qr: null, pairing })];
}
