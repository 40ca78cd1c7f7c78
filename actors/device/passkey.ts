import { type ReplyTo, refuse } from '../../runtime/behaviour.ts';
import type { DevicePairing } from '../../store/devices.ts';
import type { PasskeyCredential } from '../network/passkey.ts';
import { refusal } from '../refusals.ts';
import { type Said, save } from './line.ts';
import type { DeviceState, DeviceStep, PasskeyStep } from './protocol.ts';

/**
 * The network asks some accounts for a passkey after the QR or the code, and then perhaps to compare a short code with the phone (api.md
 * "Devices"). It is asked for on one line and until `linked`: whatever ends the line ends it.
 */

const NO_PASSKEY = { en: 'no passkey is asked for', id: 'tidak ada passkey yang diminta' };
const NO_CODE = { en: 'no code is to be confirmed', id: 'tidak ada kode yang perlu dikonfirmasi' };

export const asked = (state: DeviceState, { options, expiresAt }: Said<'passkeyAsked'>): DeviceStep =>
  show(state, { step: 'passkey', options, expires_at: expiresAt });

export const codeShown = (state: DeviceState, { code, expiresAt }: Said<'passkeyConfirm'>): DeviceStep =>
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

export const stepOf = ({ line, facts }: DeviceState): PasskeyStep | null =>
  line.phase === 'linking' && facts.credentials === null ? line.passkey : null;

/** The code on show is used up. */
function show(state: DeviceState, pairing: Extract<DevicePairing, { readonly step: PasskeyStep }>): DeviceStep {
  const { line, facts } = state;
  if (line.phase !== 'linking' || facts.credentials !== null) return [state];
  return [{ ...state, line: { ...line, passkey: pairing.step } }, save({ status: 'pending', qr: null, pairing })];
}
