import { createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type Dispatcher, type FormData, request } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import { codeOf } from '../../../runtime/errors.ts';
import { memberOf } from '../../../runtime/shapes.ts';

/**
 * Makes HTTPS calls to the vendor's platform. The outcome of a call is a response, an error, "not
 * written" (safe to retry) or unknown (the platform may have received it). The token is sent only
 * to the platform and its file hosts. Redirects are not followed, and secrets are never logged.
 */

export interface GraphAddress {
  readonly url: string;
  readonly version: string | null;
}

export interface GraphKeys {
  readonly token: string;
  readonly appSecret: string;
}

export type Outcome =
  | { readonly kind: 'ok'; readonly body: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly details: string; readonly retryAfterMs: number }
  | { readonly kind: 'unwritten' }
  | { readonly kind: 'unknown' };

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly token?: string;
  readonly withinMs?: number;
}

const WITHIN_MS = 20_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const USER_AGENT = 'messaging-gateway';

const UNWRITTEN: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EPROTO', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
]);

export class GraphClient {
  readonly #address: GraphAddress;
  readonly #keys: GraphKeys;
  readonly #dispatcher: Dispatcher;
  readonly #clock: Clock;

  constructor(address: GraphAddress, keys: GraphKeys, dispatcher: Dispatcher, clock: Clock) {
    this.#address = address;
    this.#keys = keys;
    this.#dispatcher = dispatcher;
    this.#clock = clock;
  }

  async call({ method, path, json, form, token = this.#keys.token, withinMs = WITHIN_MS }: Call): Promise<Outcome> {
    const { url, version } = this.#address;
    const patience = this.#patience(withinMs);
    try {
      const answer = await request(`${url}${version === null ? '' : `/${version}`}/${path}`, {
        method,
        dispatcher: this.#dispatcher,
        signal: patience.signal,
        headers: {
          authorization: `Bearer ${token}`,
          'user-agent': USER_AGENT,
          ...(json !== undefined && { 'content-type': 'application/json' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(form && { body: form }),
      });
      const text = await textOf(answer.body);
      return outcomeOf(answer.statusCode, text, Number(answer.headers['retry-after'] ?? 0) * 1_000);
    } catch (cause) {
      return { kind: isUnwritten(cause) ? 'unwritten' : 'unknown' };
    } finally {
      patience.over();
    }
  }

  /** Returns the app's own token, which can inspect the access token and set the app's callback. */
  appToken(appId: string): string {
    return `${appId}|${this.#keys.appSecret}`;
  }

  /** Returns the token's HMAC, which some apps require in addition to the token. */
  proof(): string {
    return createHmac('sha256', this.#keys.appSecret).update(this.#keys.token).digest('hex');
  }

  async bytes(address: string): Promise<Readable | null> {
    if (!this.#isOurs(address)) return null;
    const patience = this.#patience(WITHIN_MS);
    try {
      const headers = { authorization: `Bearer ${this.#keys.token}`, 'user-agent': USER_AGENT };
      const answer = await request(address, { dispatcher: this.#dispatcher, headers, signal: patience.signal });
      if (answer.statusCode === 200) return answer.body;
      await answer.body.dump();
      return null;
    } finally {
      patience.over();
    }
  }

  #isOurs(address: string): boolean {
    const url = URL.parse(address);
    const own = new URL(this.#address.url);
    if (!url) return false;
    if (url.origin === own.origin) return true;
    return url.protocol === 'https:' && /(^|\.)(facebook|fbsbx)\.com$/.test(url.hostname);
  }

  #patience(ms: number): { readonly signal: AbortSignal; over(): void } {
    const controller = new AbortController();
    const over = this.#clock.after(ms, () => controller.abort());
    return { signal: controller.signal, over };
  }
}

async function textOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function outcomeOf(status: number, text: string, retryAfterMs: number): Outcome {
  const body = parsed(text);
  const error = memberOf(body, 'error');
  const code = memberOf(error, 'code');
  if (typeof code === 'number') {
    const details = memberOf(memberOf(error, 'error_data'), 'details') ?? memberOf(error, 'message');
    return { kind: 'error', code, details: String(details ?? ''), retryAfterMs };
  }
  if (status >= 200 && status < 300) return { kind: 'ok', body };
  return status === 429 ? { kind: 'error', code: 130_429, details: 'HTTP 429', retryAfterMs } : { kind: 'unknown' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isUnwritten(cause: unknown): boolean {
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  const isBlocked = cause instanceof Error && cause.name === 'EgressBlocked';
  return isBlocked || [codeOf(cause), codeOf(inner)].some((code) => UNWRITTEN.has(String(code)));
}
