import { signal } from '@preact/signals';
import type { Schemas } from '../../../../scripts/examples/client/gateway.generated.ts';
import { ApiError, accepted, answered, ask } from '../api/request.ts';
import { forgetTyped } from './kept.ts';

/** Who is signed in here. undefined: not known yet; null: nobody. */
export const person = signal<Schemas['Me'] | null | undefined>(undefined);

/** What the gateway gives in place of a refresh token, which it keeps. */
interface Granted {
  readonly token: string;
  /** Epoch ms. */
  readonly expires_at: number;
}

/** What proves who signs in: a one-time code, the second factor, or a passkey. */
export type Proof =
  | { readonly phone: string; readonly code: string }
  | { readonly challenge: string; readonly code: string }
  | { readonly credential: unknown };

/** The access token, in memory only. */
let granted: Granted | null = null;

/** So long before its end a token is changed for a new one. */
const EARLY_MS = 60_000;

const isGranted = (value: unknown): value is Granted =>
  typeof value === 'object' && value !== null && 'token' in value && typeof value.token === 'string';

/** Signs in. Null: done; otherwise the challenge for the second factor. Rejects with ApiError. */
export async function signIn(proof: Proof): Promise<string | null> {
  const answer = await answered({ method: 'POST', path: '/console/session', body: proof });
  if (typeof answer === 'object' && answer !== null && 'challenge' in answer) return String(answer.challenge);
  await begin(answer);
  return null;
}

async function begin(answer: unknown): Promise<void> {
  if (!isGranted(answer)) throw new ApiError('no token', { code: 'UNKNOWN' });
  granted = answer;
  person.value = await answered<Schemas['Me']>({ method: 'GET', path: '/v1/me', headers: { authorization: `Bearer ${answer.token}` } });
}

/** Looks whether this browser is signed in. Called once, when the console starts. Rejects with ApiError where nobody answers. */
export async function resume(): Promise<void> {
  const answer = await renewed();
  if (answer) await begin(answer);
  else person.value = null;
}

/** A token that is good for now; null: nobody is signed in. Rejects with ApiError where nobody answers. */
export async function bearer(): Promise<string | null> {
  if (granted && granted.expires_at - Date.now() > EARLY_MS) return granted.token;
  return renew();
}

let renewing: Promise<string | null> | null = null;

/** A new token in place of one that was refused or ends soon; null: the login is over. */
export function renew(): Promise<string | null> {
  renewing ??= renewed()
    .then((answer) => {
      granted = answer;
      if (!answer) person.value = null;
      return answer?.token ?? null;
    })
    .finally(() => {
      renewing = null;
    });
  return renewing;
}

async function renewed(): Promise<Granted | null> {
  const response = await ask({ method: 'POST', path: '/console/session/refresh', body: {} });
  if (response.status === 204 || response.status === 401) return null;
  const answer: unknown = await (await accepted(response)).json();
  return isGranted(answer) ? answer : null;
}

/** Proves the second factor anew, which some acts ask for. Rejects with ApiError. */
export async function stepUp(code: string): Promise<void> {
  const headers = { authorization: `Bearer ${await bearer()}` };
  const { token } = await answered<{ readonly token: string }>({ method: 'POST', path: '/auth/step-up', headers, body: { code } });
  granted = granted && { ...granted, token };
}

/** Ends the login here and at the gateway. */
export async function signOut(): Promise<void> {
  await answered({ method: 'DELETE', path: '/console/session' });
  granted = null;
  person.value = null;
  forgetTyped();
}
