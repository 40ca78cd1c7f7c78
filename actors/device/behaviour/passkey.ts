import { type ReplyTo, refuse, reply } from '../../../runtime/actor-system/behaviour.ts';
import { derivedId } from '../../../runtime/derived-ids.ts';
import { publicKeyText, withoutSecretResults } from '../../domain/passkey-json.ts';
import { refusal } from '../../domain/refusals.ts';
import type { PasskeyCredential } from '../../network/passkey.ts';
import type { DeviceState, DeviceStep, PasskeyPairing, PasskeyStep } from '../protocol.ts';
import { deadline, type EventOf, save } from './connection-steps.ts';

/**
 * Handles the passkey step of linking. The network asks some accounts for a passkey, and may then
 * ask the user to compare a code with the phone. All steps form one ceremony on one connection. Its
 * token lets a browser help (services/devices/ceremonies.ts). If the process dies, linking
 * restarts.
 */

const NO_PASSKEY = { en: 'the network did not ask for a passkey', id: 'jaringan tidak meminta passkey' };
const NO_CODE = { en: 'there is no code to confirm', id: 'tidak ada kode yang perlu dikonfirmasi' };

const CEREMONY_MS = 600_000;
/** Extra time for the driver to close the connection itself when a step takes too long. */
const GRACE_MS = 10_000;

export function asked(state: DeviceState, { options, expiresAt }: EventOf<'passkeyAsked'>, now: number): DeviceStep {
  const id = derivedId(`passkey ${state.facts.owner.sessionId} ${options.challenge}`, now);
  const { ceremony } = shownIn(state) ?? { ceremony: { id, expires_at: now + CEREMONY_MS } };
  return show(state, { step: 'passkey', public_key: publicKeyText(options), ceremony, expires_at: expiresAt }, now);
}

export function codeShown(state: DeviceState, { code, expiresAt }: EventOf<'passkeyConfirm'>, now: number): DeviceStep {
  const passkey = shownIn(state);
  if (!passkey) return [state];
  return show(state, { step: 'passkey_confirm', code, ceremony: passkey.ceremony, expires_at: expiresAt }, now);
}

export function answer(state: DeviceState, credential: PasskeyCredential, replyTo: ReplyTo<null>): DeviceStep {
  const passkey = shownIn(state);
  if (passkey?.step !== 'passkey' || passkey.public_key === null)
    return [state, refuse(replyTo, refusal('NOT_FOUND', { reason: NO_PASSKEY }))];
  return [state, { do: 'answerPasskey', credential: withoutSecretResults(credential), ceremony: passkey.ceremony.id, replyTo }];
}

/** Removes the passkey request unless the next step has begun, because only one passkey is accepted. */
export function taken(state: DeviceState, ceremony: string, replyTo: ReplyTo<null>): DeviceStep {
  const passkey = shownIn(state);
  if (passkey?.step !== 'passkey' || passkey.ceremony.id !== ceremony) return [state, reply(replyTo, null)];
  const pairing = { ...passkey, public_key: null };
  return [withPasskey(state, pairing), save({ pairing }, replyTo)];
}

export function confirm(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  if (stepOf(state) !== 'passkey_confirm') return [state, refuse(replyTo, refusal('NOT_FOUND', { reason: NO_CODE }))];
  return [state, { do: 'confirmPasskey', replyTo }];
}

export const stepOf = (state: DeviceState): PasskeyStep | null => shownIn(state)?.step ?? null;

const shownIn = ({ connection, facts }: DeviceState): PasskeyPairing | null =>
  connection.phase === 'linking' && facts.credentials === null ? connection.passkey : null;

function show(state: DeviceState, pairing: PasskeyPairing, now: number): DeviceStep {
  const { connection, facts } = state;
  if (connection.phase !== 'linking' || facts.credentials !== null) return [state];
  return [
    withPasskey(state, pairing),
    deadline(connection.connectionId, pairing.expires_at - now + GRACE_MS),
    save({ status: 'pending', qr: null, pairing }),
  ];
}

function withPasskey(state: DeviceState, passkey: PasskeyPairing): DeviceState {
  const { connection } = state;
  return connection.phase === 'linking' ? { ...state, connection: { ...connection, passkey } } : state;
}
