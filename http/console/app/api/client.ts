import type { Operations } from '../../../../scripts/examples/client/gateway.generated.ts';
import { noteDone } from '../state/done.ts';
import { lockOperator, operator, operatorHeaders } from '../state/operator.ts';
import { bearer, renew, signInNow } from '../state/session.ts';
import { freshCode } from '../state/step-up.ts';
import { isOperators, shownCall } from './call-as-code.ts';
import { ApiError, accepted, ask, contentOf, type RawRequest } from './request.ts';

type Wanted<Part> = keyof Part extends never ? Record<string, never> : Part;

export type OperationId = keyof Operations;

/** What a call takes: only the parts that its operation has. */
export type Input<Id extends OperationId> = (keyof Operations[Id]['params'] extends never
  ? { readonly params?: Record<string, never> }
  : { readonly params: Operations[Id]['params'] }) & {
  readonly query?: Wanted<Operations[Id]['query']>;
} & (Operations[Id]['body'] extends undefined ? { readonly body?: undefined } : { readonly body: Operations[Id]['body'] });

interface Options {
  readonly signal?: AbortSignal | undefined;
  /** Of a repeat: the key of the first try. Default: a new one. */
  readonly key?: string;
  /** In place of JSON, such as `image/png`. */
  readonly accept?: string;
  /** Of work that began earlier: the sign-in that it is done under, or not at all. Default: the one that holds now. */
  readonly signIn?: number;
}

/** Names a send and every repeat of it, so that it has one effect. Also where `crypto.randomUUID` is missing, as on plain http. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Calls an operation as who is signed in. Rejects with ApiError. */
export async function call<Id extends OperationId>(id: Id, input: Input<Id>, options: Options = {}): Promise<Operations[Id]['answer']> {
  return contentOf(await respond(id, input, options));
}

/** As `call`, and the bytes: pictures and files. */
export async function callForBytes<Id extends OperationId>(id: Id, input: Input<Id>, options: Options = {}): Promise<Blob> {
  return (await respond(id, input, options)).blob();
}

async function respond<Id extends OperationId>(id: Id, input: Input<Id>, options: Options): Promise<Response> {
  const shown = shownCall(id, input);
  const { method, address: path } = shown;
  // One key for the call: it is repeated below, and by browsers on their own.
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

/** A secret or a session that is good no more is asked for again. */
async function asOperator(request: RawRequest): Promise<Response> {
  const proof = operator.peek();
  const response = await ask(proof ? withHeaders(request, operatorHeaders(proof)) : request);
  if (response.status === 401) lockOperator();
  return accepted(response);
}

/** Where the call needs a fresh code, whoever sits here is asked for one, and it is made again. */
async function asPerson(request: RawRequest, signIn: number): Promise<Response> {
  try {
    return await accepted(await asSignedIn(request, signIn));
  } catch (cause) {
    const isStale = cause instanceof ApiError && cause.code === 'STEP_UP_REQUIRED';
    if (!isStale || !(await freshCode())) throw cause;
    return accepted(await asSignedIn(request, signIn));
  }
}

/** A token may end at any time: one that is refused is changed for a new one, once. */
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
