import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FILES, KEYED, type Operations, PLACES, type Schemas } from '../../http/openapi/client/gateway.generated.ts';

/**
 * The typed client of a gateway, packed by scripts/client (see its README.md). Its types are
 * generated from the endpoints. A call is retried only when that is safe: reads, PUT, DELETE, calls
 * with an `Idempotency-Key`, and calls that were refused without being accepted.
 */

/** An error response from the gateway. `code` is stable, while the message is meant for people. */
export class GatewayError extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds after which the call may be retried; null if the gateway does not specify a time. */
  readonly retryAfter: number | null;

  constructor(status: number, code: string, message: string, retryAfter: number | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

type Wanted<Part> = keyof Part extends never ? Record<string, never> : Part;

export type Input<Id extends keyof Operations> = (keyof Operations[Id]['params'] extends never
  ? { readonly params?: Record<string, never> }
  : { readonly params: Operations[Id]['params'] }) & {
  readonly query?: Wanted<Operations[Id]['query']>;
} & (Operations[Id]['body'] extends undefined ? { readonly body?: undefined } : { readonly body: Operations[Id]['body'] });

export interface CallOptions {
  /** By default, each call gets a new key. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export type EntryOf<Answer> = {
  [Field in keyof Answer]: Answer[Field] extends readonly (infer Entry)[] ? Entry : never;
}[keyof Answer];

export function requestOf<Id extends keyof Operations>(
  id: Id,
  input: Input<Id>,
): { readonly method: string; readonly path: string; readonly body: unknown } {
  const [method, place] = PLACES[id];
  const params: Readonly<Record<string, unknown>> = { ...input.params };
  const path = place.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name])));
  const query = queryOf(Object.entries({ ...input.query }));
  return { method, path: `${path}${query.size > 0 ? `?${query}` : ''}`, body: input.body };
}

const TRIES = 5;
const MAX_WAIT_S = 60;
const SAFE: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE']);
const MAX_PAGE = 200;
const TEXT = /^(text\/|application\/(json|x-ndjson)|image\/svg)/;

/** Calls a gateway: `await gateway.call('sendMessage', { params: { sessionId }, body: { … } })`. */
export class GatewayClient {
  readonly #address: string;
  readonly #token: string;

  constructor(address: string, token: string) {
    this.#address = address.replace(/\/+$/, '');
    this.#token = token;
  }

  /** Rejects with GatewayError, or with the error of `fetch` if the gateway cannot be reached. */
  async call<Id extends keyof Operations>(id: Id, input: Input<Id>, options: CallOptions = {}): Promise<Operations[Id]['answer']> {
    const { method, path, body } = requestOf(id, input);
    const isPlain = body === undefined || body instanceof FormData || body instanceof Blob || typeof body === 'string';
    const key = KEYED.has(id) ? (options.idempotencyKey ?? randomUUID()) : undefined;
    const request = {
      method,
      redirect: 'error',
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(!isPlain && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: isPlain ? body : JSON.stringify(body) }),
      ...(options.signal && { signal: options.signal }),
    } as const;
    const isSafe = key !== undefined || SAFE.has(method);
    for (let tries = 1; ; tries += 1) {
      const waitS = await this.#try(path, request, FILES.has(id)).catch((cause: unknown) => {
        const wait = waitAfter(cause, isSafe, tries);
        if (wait === null || tries === TRIES || options.signal?.aborted) throw cause;
        return wait;
      });
      if (typeof waitS !== 'number') return waitS.answer;
      await sleep(waitS * 1_000, undefined, options.signal && { signal: options.signal });
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the answer of an operation, whose type `call` names
  async #try(path: string, request: RequestInit, isFile: boolean): Promise<{ readonly answer: any }> {
    const response = await fetch(`${this.#address}${path}`, request);
    if (!response.ok) throw await refusalOf(response);
    const type = response.headers.get('content-type') ?? '';
    if (isFile || !TEXT.test(type)) return { answer: await response.blob() };
    const text = await response.text();
    return { answer: type.startsWith('application/json') ? JSON.parse(text) : text };
  }

  async *pages<Id extends keyof Operations>(
    id: Id,
    input: Input<Id>,
    options: CallOptions = {},
  ): AsyncGenerator<EntryOf<Operations[Id]['answer']>> {
    let place: Readonly<Record<string, unknown>> = {};
    for (let before = ''; ; ) {
      const answer = await this.call(id, { ...input, query: { ...input.query, ...place } }, options);
      const fields: Readonly<Record<string, unknown>> = Object(answer);
      yield* Object.values(fields).find((value): value is EntryOf<Operations[Id]['answer']>[] => Array.isArray(value)) ?? [];
      const { next_before: next, next_before_id: nextId } = fields;
      const at = JSON.stringify([next, nextId]);
      if (next === null || next === undefined || at === before) return;
      before = at;
      place = { before: next, ...(nextId !== null && nextId !== undefined && { before_id: nextId }) };
    }
  }

  /** Yields each event at least once. To continue later, store `cursor` and pass it as `after`. */
  async *follow(
    options: {
      readonly after?: string | null;
      readonly events?: readonly string[];
      readonly pollMs?: number;
      readonly signal?: AbortSignal;
    } = {},
  ): AsyncGenerator<{ readonly event: Schemas['Event']; readonly cursor: string | null }> {
    const { events, pollMs = 1_000, signal } = options;
    for (let after = options.after ?? null; !signal?.aborted; ) {
      const query = { limit: MAX_PAGE, ...(after !== null && { after }), ...(events && { events: events.join(',') }) };
      const page: Schemas['PullEventsResponse'] = await this.call('pullEvents', { query }, signal ? { signal } : {});
      for (const [nth, event] of page.events.entries()) yield { event, cursor: nth === page.events.length - 1 ? page.next : after };
      after = page.next;
      if (page.events.length === 0) await sleep(pollMs, undefined, signal && { signal });
    }
  }

  /**
   * Yields live events until the connection ends. By default, these are all public types. Throws
   * GatewayError.
   */
  async *events(
    events: readonly string[] = [],
  ): AsyncGenerator<{ readonly type: string; readonly data: Readonly<Record<string, unknown>> }> {
    const query = queryOf(events.map((name) => ['events', name]));
    const headers = { authorization: `Bearer ${this.#token}` };
    const response = await fetch(`${this.#address}/v1/events?${query}`, { headers, redirect: 'error' });
    if (!response.ok) throw await refusalOf(response);
    const { body } = response;
    let text = '';
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const line = block.split('\n').find((one) => one.startsWith('data: '));
        if (line) yield JSON.parse(line.slice(6));
      }
    }
  }
}

/** A proxy in front of the gateway may send an error response without a code. */
async function refusalOf(response: Response): Promise<GatewayError> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const { code = '', error = `HTTP ${response.status} ${response.statusText}`.trim() } = Object(isJson ? JSON.parse(text) : null);
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new GatewayError(response.status, String(code), String(error), Number.isFinite(after) ? after : null);
}

function waitAfter(cause: unknown, isSafe: boolean, tries: number): number | null {
  const backoff = 2 ** (tries - 1) / 4;
  if (!(cause instanceof GatewayError)) return isSafe ? backoff : null;
  const { status, code, retryAfter } = cause;
  // A retry is safe if the call was not accepted, or if a call with the same key is in progress.
  if (status !== 429 && status !== 503 && code !== 'IDEMPOTENCY_IN_PROGRESS') return null;
  const wait = retryAfter ?? backoff;
  return wait <= MAX_WAIT_S ? wait : null;
}

/** Throws if the signature is invalid. `body` is the raw body; `headers` are Node's or a `Request`'s. */
export function verifyWebhook(
  body: Uint8Array | string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secret: string,
): Schemas['Event'] {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('base64')}`);
  const sent = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const [, signature] = sent.find(([name]) => name.toLowerCase() === 'x-webhook-signature') ?? [];
  const given = Buffer.from(String(signature));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('the signature of the webhook does not hold');
  return JSON.parse(Buffer.from(body).toString());
}

function queryOf(entries: readonly (readonly [name: string, value: unknown])[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of entries) if (value !== undefined && value !== null) query.append(name, String(value));
  return query;
}
