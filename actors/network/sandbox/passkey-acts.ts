import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Refusal } from '../../../runtime/errors.ts';
import { NETWORK_ORIGIN, type PasskeyCredential, type PasskeyOptions } from '../passkey.ts';
import { SANDBOX_PASSKEY } from './passkeys.ts';

export type PasskeyAct =
  | { readonly act: 'sign_passkey'; readonly options: Readonly<Record<string, unknown>> }
  | { readonly act: 'confirm_passkey'; readonly code: string };

export const isPasskeyAct = (order: { readonly act: string }): order is PasskeyAct =>
  order.act === 'sign_passkey' || order.act === 'confirm_passkey';

const USER_VERIFIED = 0x05;
let key: KeyObject | null = null;

export function signPasskey({ challenge, rpId }: Readonly<Record<string, unknown>>, phone: string): PasskeyCredential {
  if (!isChallenge(challenge)) throw new Refusal('VALIDATION_FAILED', { field: 'options.challenge', reason: NO_CHALLENGE });
  key ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const site = typeof rpId === 'string' ? rpId : new URL(NETWORK_ORIGIN).hostname;
  const clientData = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: NETWORK_ORIGIN, crossOrigin: false }));
  const authenticatorData = Buffer.concat([sha256(site), Buffer.from([USER_VERIFIED, 0, 0, 0, 1])]);
  const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), key);
  return {
    id: SANDBOX_PASSKEY,
    rawId: SANDBOX_PASSKEY,
    type: 'public-key',
    response: {
      clientDataJSON: text(clientData),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
      userHandle: text(Buffer.from(phone)),
    },
    authenticatorAttachment: 'cross-platform',
    clientExtensionResults: {},
  };
}

const isChallenge = (challenge: unknown): challenge is PasskeyOptions['challenge'] =>
  typeof challenge === 'string' && /^[\w-]+$/.test(challenge);
const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();
const text = (bytes: Buffer): string => bytes.toString('base64url');

const NO_CHALLENGE = { en: 'options must have a challenge', id: 'options harus memiliki challenge' };
