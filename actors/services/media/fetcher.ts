import { basename } from 'node:path';
import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import { type Blocked, blockedText, type Egress } from '../../../runtime/egress/egress.ts';
import { codeOf, Refusal } from '../../../runtime/errors.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { refusal, tooLarge } from '../../domain/refusals.ts';
import { MAX_MEDIA_BYTES } from './library.ts';

export interface Fetched {
  readonly source: AsyncIterable<Uint8Array>;
  readonly filename: string | null;
  readonly url: string;
  readonly contentType: string | null;
  /** Size that the server announced. The response cannot be longer than that. */
  readonly size: number | null;
}

export interface MediaFetcher {
  /**
   * Checks each redirect like the first URL. Fails with URL_BLOCKED, PAYLOAD_TOO_LARGE,
   * VALIDATION_FAILED (not downloadable) or OVERLOADED, and with the errors of `take`.
   */
  fetch<T>(tenantId: string, url: string, take: (file: Fetched) => Promise<T>): Promise<T>;
}

export interface FetcherDeps {
  readonly egress: Pick<Egress, 'check' | 'dispatcher'>;
  readonly clock: Clock;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time limit for one download, including redirects. Does not include the wait for its start. */
  readonly withinMs?: number;
  readonly waiting?: number;
}

const MAX_REDIRECTS = 3;
const MAX_CONCURRENT = 64;
/** Maximum number of downloads at a time per tenant, so that slow hosts cannot use up every slot. */
export const MAX_TENANT_DOWNLOADS = 8;
const MAX_WAITING = MAX_CONCURRENT - MAX_TENANT_DOWNLOADS;
const WITHIN_MS = 30_000;

export function createFetcher({ egress, clock, headers = {}, withinMs = WITHIN_MS, waiting = MAX_WAITING }: FetcherDeps): MediaFetcher {
  const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });
  const slots = new FairSlots({ slots: MAX_CONCURRENT, share: MAX_TENANT_DOWNLOADS, waiting, full });

  async function answerOf(url: string, signal: AbortSignal, redirects = 0): Promise<{ url: string; answer: Dispatcher.ResponseData }> {
    const blocked = await egress.check(url);
    if (blocked !== null) throw blocked === 'malformed' ? malformed() : urlBlocked(blocked);
    const answer = await request(url, { dispatcher: egress.dispatcher, headers: { ...headers, 'accept-encoding': 'identity' }, signal });
    const next = nextOf(url, answer);
    if (next === null) return { url, answer };
    discard(answer);
    if (redirects === MAX_REDIRECTS) throw unavailable();
    return answerOf(next, signal, redirects + 1);
  }

  async function taken<T>(first: string, signal: AbortSignal, take: (file: Fetched) => Promise<T>): Promise<T> {
    const { url, answer } = await answerOf(first, signal);
    try {
      expectFile(answer);
      const { 'content-type': type, 'content-length': length } = answer.headers;
      const contentType = typeof type === 'string' ? type : null;
      const size = typeof length === 'string' ? Number(length) : null;
      return await take({ source: readable(answer), filename: nameIn(url), url, contentType, size });
    } finally {
      discard(answer);
    }
  }

  async function inTime<T>(url: string, take: (file: Fetched) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const cancel = clock.after(withinMs, () => abort.abort());
    try {
      return await taken(url, abort.signal, take);
    } catch (cause) {
      throw isBlocked(cause) ? urlBlocked('private') : isOfUndici(cause) ? unavailable() : cause;
    } finally {
      cancel();
    }
  }

  return { fetch: (tenantId, url, take) => slots.run(tenantId, () => inTime(url, take)) };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function nextOf(url: string, { statusCode, headers }: Dispatcher.ResponseData): string | null {
  if (!REDIRECTS.has(statusCode)) return null;
  const next = typeof headers.location === 'string' ? URL.parse(headers.location, url) : null;
  if (!next) throw unavailable();
  return next.href;
}

function expectFile({ statusCode, headers }: Dispatcher.ResponseData): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (statusCode !== 200 || encoding !== 'identity') throw unavailable();
  if (Number(headers['content-length']) > MAX_MEDIA_BYTES) throw tooLarge(MAX_MEDIA_BYTES);
}

async function* readable({ body }: Dispatcher.ResponseData): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch {
    throw unavailable();
  }
}

function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {}).destroy();
}

function nameIn(url: string): string | null {
  const last = basename(new URL(url).pathname);
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last;
  }
}

const isBlocked = (cause: unknown): boolean => codeOf(cause) === 'EGRESS_BLOCKED';

/** Whether an error is from DNS, a socket or a response. If not, it is from the store. */
const isOfUndici = (cause: unknown): boolean => !(cause instanceof Refusal) && (isAbort(cause) || NETWORK.test(String(codeOf(cause))));
const isAbort = (cause: unknown): boolean => cause instanceof Error && cause.name === 'AbortError';
const NETWORK =
  /^(UND_|E(AI_AGAIN|NOTFOUND|CONN|HOSTUNREACH|NETUNREACH|TIMEDOUT|PIPE|PROTO|ADDRNOTAVAIL)|ERR_(TLS|SSL)|HPE_|CERT_|DEPTH_|SELF_SIGNED|UNABLE_)/;

const MALFORMED = blockedText('malformed', 'EGRESS_ALLOW_READS');
const NO_ADDRESS = { en: `url: ${MALFORMED.en}`, id: `url: ${MALFORMED.id}` };
const UNAVAILABLE = { en: 'url could not be downloaded', id: 'url tidak dapat diunduh' };
const unavailable = (): Refusal => refusal('VALIDATION_FAILED', { field: 'url', reason: UNAVAILABLE });
const urlBlocked = (blocked: Blocked): Refusal => refusal('URL_BLOCKED', { reason: blockedText(blocked, 'EGRESS_ALLOW_READS') });
const malformed = (): Refusal => refusal('VALIDATION_FAILED', { field: 'url', reason: NO_ADDRESS });
