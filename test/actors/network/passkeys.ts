import type { PasskeyCredential } from '../../../actors/network/passkey.ts';

/** What an authenticator makes of a challenge, as far as the sandbox looks at it: nobody signs anything. */
export function credentialFor(challenge: string): PasskeyCredential {
  const clientData = { type: 'webauthn.get', challenge, origin: 'https://web.whatsapp.com' };
  const clientDataJSON = Buffer.from(JSON.stringify(clientData)).toString('base64url');
  return {
    id: 'a2V5',
    rawId: 'a2V5',
    type: 'public-key',
    response: { clientDataJSON, authenticatorData: 'AAAA', signature: 'AAAA', userHandle: null },
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
  };
}
