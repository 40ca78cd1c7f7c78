/**
 * Calls the gateway's operations with the credentials of the signed-in person or the operator. All
 * attempts of a POST use one idempotency key. A call is retried once after the token is renewed,
 * and once after the user enters a fresh second-factor code.
 */

import type { Operations } from '../../../openapi/client/gateway.generated.ts';
import { noteDone } from '../state/done.ts';
import { lockOperator, operator, operatorHeaders } from '../state/operator.ts';
import { bearer, renew, signInNow } from '../state/session.ts';
import { freshCode } from '../state/step-up.ts';
import { isOperators, shownCall } from './call-as-code.ts';
import { ApiError, accepted, ask, contentOf, type RawRequest } from './request.ts';

type Wanted<Part> = keyof Part extends never ? Record<string, never> : Part;

export type OperationId = keyof Operations;

export type Input<Id extends OperationId> = (keyof Operations[Id]['params'] extends never
  ? { readonly params?: Record<string, never> }
  : { readonly params: Operations[Id]['params'] }) & {
  readonly query?: Wanted<Operations[Id]['query']>;
} & (Operations[Id]['body'] extends undefined ? { readonly body?: undefined } : { readonly body: Operations[Id]['body'] });

interface Options {
  readonly signal?: AbortSignal | undefined;
  /** To retry a call, pass the key of its first attempt. Default: a new key. */
  readonly key?: string;
  readonly accept?: string;
  /** The call rejects once this sign-in has ended. Default: the current sign-in. */
  readonly signIn?: number;
}

/** Also works on plain http, where `crypto.randomUUID` is missing. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export async function call<Id extends OperationId>(id: Id, input: Input<Id>, options: Options = {}): Promise<Operations[Id]['answer']> {
  return contentOf(await respond(id, input, options));
}

export async function callForBytes<Id extends OperationId>(id: Id, input: Input<Id>, options: Options = {}): Promise<Blob> {
  return (await respond(id, input, options)).blob();
}

async function respond<Id extends OperationId>(id: Id, input: Input<Id>, options: Options): Promise<Response> {
  const shown = shownCall(id, input);
  const { method, address: path } = shown;
  // Both the browser and the code below may resend the call, so every POST has an idempotency key.
  const key: Record<string, string> = method === 'POST' ? { 'idempotency-key': options.key ?? newKey() } : {};
  const request: RawRequest = {
    ...{ method, path },
    headers: { ...key, ...(options.accept !== undefined && { accept: options.accept }) },
    body: input.body,
    signal: options.signal,
  };
  const response = await (isOperators(id) ? asOperator(request) : asPerson(request, options.signIn ?? signInNow()));
  noteDone(shown);
  return response;
}

async function asOperator(request: RawRequest): Promise<Response> {
  const proof = operator.peek();
  const response = await ask(proof ? withHeaders(request, operatorHeaders(proof)) : request);
  if (response.status === 401) lockOperator();
  return accepted(response);
}

async function asPerson(request: RawRequest, signIn: number): Promise<Response> {
  try {
    return await accepted(await asSignedIn(request, signIn));
  } catch (cause) {
    const isStale = cause instanceof ApiError && cause.code === 'STEP_UP_REQUIRED';
    if (!isStale || !(await freshCode())) throw cause;
    return accepted(await asSignedIn(request, signIn));
  }
}

async function asSignedIn(request: RawRequest, signIn: number): Promise<Response> {
  const first = await authorized(request, await bearer(signIn));
  return first.status === 401 ? authorized(request, await renew(signIn)) : first;
}

function authorized(request: RawRequest, token: string | null): Promise<Response> {
  if (token === null) throw new ApiError('signed out', { status: 401, code: 'UNAUTHORIZED' });
  return ask(withHeaders(request, { authorization: `Bearer ${token}` }));
}

const withHeaders = (request: RawRequest, more: Readonly<Record<string, string>>): RawRequest => ({
  ...request,
  headers: { ...request.headers, ...more },
});
