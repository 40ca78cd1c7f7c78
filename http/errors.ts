import { REFUSALS, type RefusalCode, refusal } from '../actors/refusals.ts';
import { Refusal } from '../runtime/errors.ts';
import type { Lang } from './row.ts';

/** What a caller sees of a failure (spec.md part 7). */
export interface Wire {
  readonly status: number;
  readonly body: { readonly error: string; readonly code: RefusalCode; readonly scope?: string };
  /** Whole seconds after which trying again makes sense; null: no such promise. */
  readonly retryAfterSeconds: number | null;
}

/** Does this come from a store that cannot be reached, rather than from a bug? */
export type IsStoreDown = (cause: unknown) => boolean;

/** The one mapping from anything thrown to what a caller sees. Bugs show nothing of themselves. */
export function toWire(thrown: unknown, lang: Lang, isStoreDown: IsStoreDown): Wire {
  const { code, details } = asRefusal(thrown, isStoreDown);
  const known = codeOf(code);
  const text = REFUSALS[known][lang];
  const reason = reasonIn(details['reason'], lang);
  const scope = details['scope'];
  return {
    status: REFUSALS[known].status,
    body: { error: reason ? `${text}: ${reason}` : text, code: known, ...(typeof scope === 'string' && { scope }) },
    retryAfterSeconds: retryAfter(REFUSALS[known].status, details['retryAfterMs']),
  };
}

/** The runtime's own names, where the API has another. */
const RENAMED: Readonly<Record<string, RefusalCode>> = { TIMED_OUT: 'DEVICE_TIMEOUT', ELSEWHERE: 'UNAVAILABLE' };

const isCode = (code: string): code is RefusalCode => Object.hasOwn(REFUSALS, code);

function codeOf(code: string): RefusalCode {
  return RENAMED[code] ?? (isCode(code) ? code : 'INTERNAL');
}

/** What hapi says by itself: unknown paths, broken addresses, bodies that it will not take. */
const HAPI_SAID: Readonly<Record<number, RefusalCode>> = {
  400: 'VALIDATION_FAILED',
  404: 'NOT_FOUND',
  405: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  503: 'UNAVAILABLE',
};

function asRefusal(thrown: unknown, isStoreDown: IsStoreDown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (isStoreDown(thrown)) return refusal('UNAVAILABLE');
  return refusal(HAPI_SAID[hapiStatus(thrown) ?? 500] ?? 'INTERNAL');
}

function hapiStatus(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('isBoom' in thrown) || !('output' in thrown)) return undefined;
  const { output } = thrown;
  return typeof output === 'object' && output !== null && 'statusCode' in output ? Number(output.statusCode) : undefined;
}

function reasonIn(reason: unknown, lang: Lang): string | undefined {
  if (typeof reason === 'string') return reason;
  if (typeof reason !== 'object' || reason === null || !(lang in reason)) return undefined;
  return String(Object.entries(reason).find(([name]) => name === lang)?.[1]);
}

const COME_BACK_SECONDS = 1;

function retryAfter(status: number, ms: unknown): number | null {
  if (typeof ms === 'number') return Math.max(COME_BACK_SECONDS, Math.ceil(ms / 1000));
  return status === 503 ? COME_BACK_SECONDS : null;
}
