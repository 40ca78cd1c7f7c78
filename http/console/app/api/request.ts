import { language } from '../state/preferences.ts';

export class ApiError extends Error {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  constructor(message: string, facts: Partial<Pick<ApiError, 'status' | 'code' | 'faults' | 'requestId' | 'retryAfterMs'>> = {}) {
    super(message);
    this.status = facts.status ?? 0;
    this.code = facts.code ?? 'OFFLINE';
    this.faults = facts.faults ?? [];
    this.requestId = facts.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

export const isTransient = (cause: unknown): boolean =>
  cause instanceof ApiError && (cause.code === 'OFFLINE' || cause.status === 408 || cause.status === 429 || cause.status >= 500);

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** A connection can be lost without any sign, so every call has a timeout. */
const READ_WITHIN_MS = 30_000;
const ANSWERED_WITHIN_MS = 90_000;
const FILE_WITHIN_MS = 15 * 60_000;

/** Resolves with any HTTP status; rejects with ApiError if there is no response. */
export async function ask(request: RawRequest): Promise<Response> {
  const { method, path, headers = {}, body, signal: ended } = request;
  const isBare = body === undefined || body instanceof FormData || body instanceof Blob;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), answeredWithin(request));
  return fetch(path, {
    method,
    headers: { 'x-lang': language.value, ...(!isBare && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isBare ? body : JSON.stringify(body) }),
    signal: ended ? AbortSignal.any([ended, late.signal]) : late.signal,
  })
    .catch((cause: unknown) => {
      if (ended?.aborted) throw cause;
      throw offline();
    })
    .finally(() => clearTimeout(timer));
}

function answeredWithin({ method, body, headers }: RawRequest): number {
  if (body instanceof FormData || body instanceof Blob || headers?.['accept'] !== undefined) return FILE_WITHIN_MS;
  return method === 'GET' ? READ_WITHIN_MS : ANSWERED_WITHIN_MS;
}

export async function answered<T = unknown>(request: RawRequest): Promise<T> {
  return contentOf(await accepted(await ask(request)));
}

export async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response;
  const { error, code, details }: { error?: unknown; code?: unknown; details?: unknown } = Object(await contentOf(response));
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ApiError(typeof error === 'string' ? error : `${response.status}`, {
    status: response.status,
    code: typeof code === 'string' ? code : 'UNKNOWN',
    faults: Array.isArray(details) ? details : [],
    requestId: response.headers.get('x-request-id'),
    retryAfterMs: Number.isNaN(seconds) ? null : seconds * 1_000,
  });
}

export async function contentOf<T>(response: Response): Promise<T> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const text = await inTime(response.text());
  return JSON.parse(isJson && text !== '' ? text : JSON.stringify(text));
}

async function inTime(text: Promise<string>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(offline()), ANSWERED_WITHIN_MS);
  });
  return Promise.race([text.catch(() => Promise.reject(offline())), late]).finally(() => clearTimeout(timer));
}

const offline = (): ApiError => new ApiError(OFFLINE[language.value]);

const OFFLINE = { en: 'The gateway is not responding. Check your connection.', id: 'Gateway tidak merespons. Periksa koneksi Anda.' };
