import { type ReplyTo, refuse, reply } from '../../../runtime/actor-system/behaviour.ts';
import { derivedId } from '../../../runtime/derived-ids.ts';
import { publicKeyText, withoutSecretResults } from '../../domain/passkey-json.ts';
import { refusal } from '../../domain/refusals.ts';
import type { PasskeyCredential } from '../../network/passkey.ts';
import type { DeviceState, DeviceStep, PasskeyPairing, PasskeyStep } from '../protocol.ts';
import { deadline, type EventOf, save } from './connection-steps.ts';

/**
 * Passkey step of linking: the network asks some accounts for a passkey, and may then ask to
 * compare a code with the phone. All steps are one ceremony of one connection; its token lets a
 * browser help (services/devices/ceremonies.ts). If the process dies, linking starts over.
 */

const NO_PASSKEY = { en: 'the network does not ask for a passkey', id: 'jaringan tidak meminta passkey' };
const NO_CODE = { en: 'there is no code to confirm', id: 'tidak ada kode yang perlu dikonfirmasi' };

const CEREMONY_MS = 600_000;
/** The driver closes the connection when a step takes too long; this covers drivers that do not. */
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

/** Forwards a credential. The step stays open until the network accepts it. */
export function answer(state: DeviceState, credential: PasskeyCredential, replyTo: ReplyTo<null>): DeviceStep {
  const passkey = shownIn(state);
  if (passkey?.step !== 'passkey' || passkey.public_key === null)
    return [state, refuse(replyTo, refusal('NOT_FOUND', { reason: NO_PASSKEY }))];
  return [state, { do: 'answerPasskey', credential: withoutSecretResults(credential), ceremony: passkey.ceremony.id, replyTo }];
}

/** The network does not accept a second passkey. Its next step may already have arrived. */
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

/** Shows the passkey step instead of the QR code, which has been used up. */
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
