/**
 * Converts every thrown value to an API error. Refusals keep their code, hapi's own errors get one,
 * an unreachable store becomes UNAVAILABLE, and anything else becomes INTERNAL without details.
 */

import { faultsIn, MAX_FAULTS, REFUSALS, type RefusalCode, refusal } from '../../actors/domain/refusals.ts';
import { Refusal } from '../../runtime/errors.ts';
import type { LimitResult } from '../limits/limits.ts';
import { withFewValues } from './language.ts';
import type { Lang } from './row.ts';

export interface Wire {
  readonly status: number;
  readonly body: {
    readonly error: string;
    readonly code: RefusalCode;
    readonly scope?: string;
    readonly readings?: readonly string[];
    /** For WINDOW_CLOSED: epoch ms, or null if the window was never open. A template may still be sent. */
    readonly closed_at?: unknown;
    readonly templates?: unknown;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
    readonly more?: true;
  };
  readonly retryAfterSeconds: number | null;
  readonly limit: LimitResult | null;
  readonly allow: string | null;
}

export type IsStoreDown = (cause: unknown) => boolean;

export function toWire(thrown: unknown, lang: Lang, isStoreDown: IsStoreDown): Wire {
  const { code, details } = asRefusal(thrown, isStoreDown);
  const known = codeOf(code);
  const reason = reasonIn(details['reason'], lang);
  const faults = known === 'VALIDATION_FAILED' ? messagesOf(details, reason, lang) : null;
  const text = REFUSALS[known][lang];
  const said = faults ? shortened(faults, unknownIn(details), lang) : reason;
  const scope = details['scope'];
  const readings = textsIn(details['readings']);
  return {
    status: REFUSALS[known].status,
    body: {
      error: said ? `${text}: ${said}` : text,
      code: known,
      ...(typeof scope === 'string' && { scope }),
      ...(readings.length > 0 && { readings }),
      ...(known === 'WINDOW_CLOSED' && { closed_at: details['closed_at'], templates: details['templates'] }),
      ...(faults && { details: faults.slice(0, MAX_FAULTS) }),
      ...(faults && faults.length > MAX_FAULTS && { more: true }),
    },
    retryAfterSeconds: retryAfter(REFUSALS[known].status, details['retryAfterMs']),
    limit: known === 'RATE_LIMITED' ? limitOf(details) : null,
    allow: typeof details['allow'] === 'string' ? details['allow'] : null,
  };
}

const limitOf = ({ limit, retryAfterMs: resetMs }: Refusal['details']): LimitResult | null =>
  typeof limit === 'number' && typeof resetMs === 'number' ? { ok: false, limit, remaining: 0, resetMs } : null;

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

type Message = NonNullable<Wire['body']['details']>[number];

/**
 * If there is no list of faults, the only error belongs to `details.field` or to the whole request.
 */
function messagesOf(details: Refusal['details'], reason: string | undefined, lang: Lang): readonly Message[] {
  const faults = faultsIn({ details });
  if (faults) return faults.map((fault) => ({ path: fault.path, message: fault[lang] }));
  const field = details['field'];
  return [{ path: typeof field === 'string' ? field : 'request', message: reason ?? REFUSALS.VALIDATION_FAILED[lang] }];
}

const unknownIn = (details: Refusal['details']): ReadonlySet<string> =>
  new Set((faultsIn({ details }) ?? []).filter(({ isUnknown }) => isUnknown).map(({ path }) => path));

const SHOWN_IN_TEXT = 3;
const UNKNOWN_IN_TEXT = 10;

function shortened(faults: readonly Message[], unknown: ReadonlySet<string>, lang: Lang): string {
  const [ofUnknown, others] = [faults.filter(({ path }) => unknown.has(path)), faults.filter(({ path }) => !unknown.has(path))];
  const shown = Math.max(SHOWN_IN_TEXT, Math.min(ofUnknown.length, UNKNOWN_IN_TEXT));
  const more = faults.length - shown;
  const first = [...ofUnknown, ...others].slice(0, shown).map(({ message }) => withFewValues(message));
  const count = faults.length > MAX_FAULTS ? '' : ` ${more}`;
  if (more > 0) first.push(lang === 'id' ? `dan${count} lagi` : `and${count} more`);
  return first.join('; ');
}

const RENAMED: Readonly<Record<string, RefusalCode>> = { TIMED_OUT: 'DEVICE_TIMEOUT', ELSEWHERE: 'UNAVAILABLE' };

const isCode = (code: string): code is RefusalCode => Object.hasOwn(REFUSALS, code);

function codeOf(code: string): RefusalCode {
  return RENAMED[code] ?? (isCode(code) ? code : 'INTERNAL');
}

const HAPI_SAID: Readonly<Record<number, Exclude<RefusalCode, 'CONFLICT'>>> = {
  400: 'VALIDATION_FAILED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
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
