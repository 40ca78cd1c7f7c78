/**
 * The browser's sign-in. The refresh token is in a cookie that all tabs share and no page can read.
 * The access token exists only in this tab's memory. Each sign-in has a number (`signInNow`), so
 * that work that began under one sign-in never continues under another.
 */

import { signal } from '@preact/signals';
import type { Schemas } from '../../../openapi/client/gateway.generated.ts';
import { ApiError, accepted, answered, ask } from '../api/request.ts';
import { errorOf } from '../api/resource.ts';
import { forgetTyped } from './kept.ts';
import { dropFilesOf } from './kept-files.ts';
import { browserZone, zone } from './zone.ts';

/** Undefined until known; null if signed out. */
export const person = signal<Schemas['Me'] | null | undefined>(undefined);

export const unreachable = signal<ApiError | null>(null);

interface Granted {
  readonly token: string;
  readonly expires_at: number;
  readonly role: string;
  readonly agent_id: string;
}

export type Proof =
  | { readonly phone: string; readonly code: string }
  | { readonly challenge: string; readonly code: string }
  | { readonly credential: unknown };

let granted: Granted | null = null;

let turn = 0;

export const signInNow = (): number => turn;

const EARLY_MS = 60_000;

const isGranted = (value: unknown): value is Granted =>
  typeof value === 'object' && value !== null && 'token' in value && typeof value.token === 'string';

/** Returns null if signed in, otherwise the challenge for the second factor. */
export async function signIn(proof: Proof): Promise<string | null> {
  const answer = await answered({ method: 'POST', path: '/console/session', body: proof });
  if (typeof answer === 'object' && answer !== null && 'challenge' in answer) return String(answer.challenge);
  if (isGranted(answer)) tabs?.postMessage({ began: answer.agent_id } satisfies Notice);
  await begin(answer);
  return null;
}

async function begin(answer: unknown): Promise<void> {
  if (!isGranted(answer)) throw new ApiError('no token', { code: 'UNKNOWN' });
  turn += 1;
  const own = turn;
  granted = answer;
  const read = <T>(path: string): Promise<T> => answered<T>({ method: 'GET', path, headers: { authorization: `Bearer ${answer.token}` } });
  const [me, timezone] = await Promise.all([
    read<Schemas['Me']>('/v1/me'),
    read<Schemas['BusinessProfile']>('/v1/profile').then((one) => one.timezone, unlessEnding),
  ]);
  if (own !== turn) return;
  zone.value = timezone;
  person.value = me;
}

/** A business that is being deleted may read no profile. */
function unlessEnding(cause: unknown): string {
  if (errorOf(cause).status !== 403) throw cause;
  return browserZone;
}

function end(value: null | undefined): void {
  turn += 1;
  granted = null;
  person.value = value;
}

/** Never rejects. If it fails, the reason is in `unreachable`. */
export async function resume(): Promise<void> {
  unreachable.value = null;
  try {
    const answer = await renewed();
    if (answer) await begin(answer);
    else person.value = null;
  } catch (cause) {
    const error = errorOf(cause);
    if (error.status === 401) person.value = null;
    else unreachable.value = error;
  }
}

/** Returns null if the sign-in with the number `of` has ended. */
export async function bearer(of = turn): Promise<string | null> {
  if (of === turn && granted && granted.expires_at - Date.now() > EARLY_MS) return granted.token;
  return renew(of);
}

let renewing: { readonly of: number; readonly token: Promise<string | null> } | null = null;

export async function renew(of = turn): Promise<string | null> {
  const holder = granted;
  if (of !== turn || !holder) return null;
  if (renewing?.of !== of) {
    const token = renewedFor(holder, of).finally(() => {
      if (renewing?.token === token) renewing = null;
    });
    renewing = { of, token };
  }
  return renewing.token;
}

/** All tabs share one cookie. If another person has signed in, this tab reloads for that person. */
async function renewedFor(holder: Granted, of: number): Promise<string | null> {
  const answer = await renewed();
  if (of !== turn) return null;
  if (answer?.agent_id === holder.agent_id && answer.role === holder.role) {
    granted = answer;
    return answer.token;
  }
  if (answer) beginAnew();
  else end(null);
  return null;
}

async function renewed(): Promise<Granted | null> {
  const response = await ask({ method: 'POST', path: '/console/session/refresh', body: {} });
  if (response.status === 204 || response.status === 401) return null;
  const answer: unknown = await (await accepted(response)).json();
  return isGranted(answer) ? answer : null;
}

export async function stepUp(code: string): Promise<void> {
  const own = turn;
  const headers = { authorization: `Bearer ${await bearer(own)}` };
  const { token } = await answered<{ readonly token: string }>({ method: 'POST', path: '/auth/step-up', headers, body: { code } });
  if (own === turn) granted = granted && { ...granted, token };
}

type Notice = { readonly ended: string | undefined } | { readonly began: string };

const tabs = typeof BroadcastChannel === 'function' ? new BroadcastChannel('console-signed-in') : null;
if (tabs)
  tabs.onmessage = ({ data }: MessageEvent<Notice>) => {
    const own = person.peek()?.agent_id ?? granted?.agent_id;
    if (own === undefined) return;
    if ('ended' in data && data.ended === own) forget(own);
    if ('began' in data && data.began !== own) beginAnew();
  };

/** Reloads the page, so that the previous person's data is neither shown nor sent. */
function beginAnew(): void {
  end(undefined);
  location.reload();
}

function forget(agentId: string | undefined): void {
  granted = null;
  person.value = null;
  if (agentId === undefined) return;
  forgetTyped(agentId);
  void dropFilesOf(agentId);
}

export async function signOut(): Promise<void> {
  const own = person.peek()?.agent_id;
  await answered({ method: 'DELETE', path: '/console/session' });
  tabs?.postMessage({ ended: own } satisfies Notice);
  forget(own);
}
