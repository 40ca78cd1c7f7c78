import { ApiError, answered } from '../../api/request.ts';
import { signIn } from '../../state/session.ts';

export const hasPasskeys = (): boolean =>
  isSecureContext && 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** `otherwise` is the message to show if no passkey was used. */
export async function signInWithPasskey(otherwise: string): Promise<void> {
  const options = await answered<PublicKeyCredentialRequestOptionsJSON>({ method: 'POST', path: '/auth/passkey/options', body: {} });
  const credential = await navigator.credentials
    .get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
    .catch(() => null);
  if (!(credential instanceof PublicKeyCredential)) throw new ApiError(otherwise, { code: 'CANCELLED' });
  await signIn({ credential: credential.toJSON() });
}
