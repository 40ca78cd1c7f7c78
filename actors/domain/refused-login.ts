import type { DevicePatch } from '../../store/devices/devices.ts';
import { CLOSED } from './close-codes.ts';

/**
 * Interprets the network's login refusals. A refused login keeps its credentials, unless the number
 * was unlinked or banned (`fail` in connection.ts). The reason is stored with the device's status
 * (`reason`, `reason_since`, `reason_code`, `reason_until`).
 */

const LOGIN_REFUSALS = ['client_outdated', 'banned_temporarily', 'network_refused'] as const;
export type LoginRefusal = (typeof LOGIN_REFUSALS)[number];

export const isLoginRefusal = (reason: string | null): reason is LoginRefusal => LOGIN_REFUSALS.some((one) => one === reason);

const HOUR_MS = 3_600_000;
/** Minimum pause. Pauses vary, so that devices refused together do not reconnect together. */
const EARLIEST_MS = 55 * 60_000;

const REFUSALS: ReadonlyMap<number, LoginRefusal> = new Map<number, LoginRefusal>([
  [CLOSED.bannedForNow, 'banned_temporarily'],
  [CLOSED.outdated, 'client_outdated'],
  ...[400, 406, CLOSED.badAgent, 411, 412, 413, 414, 415, 418, 501].map((code) => [code, 'network_refused'] as const),
]);

export const refusalOf = (code: number): LoginRefusal | null => REFUSALS.get(code) ?? null;

export function refusedAs(code: number): string | null {
  if (code === CLOSED.loggedOut) return 'logged_out';
  return code === CLOSED.banned ? 'banned' : refusalOf(code);
}

export const REFUSAL_REASONS: readonly string[] = [...LOGIN_REFUSALS, 'logged_out', 'banned'];

export const isReported = (reason: string | null): boolean => reason !== null && REFUSAL_REASONS.includes(reason);

export function pauseAfter(until: number | null, atLeastMs: number, jitter: number, now: number): number {
  if (until !== null) return Math.max(atLeastMs, until - now) + Math.round(jitter * 1_000);
  return EARLIEST_MS + Math.round(jitter * (HOUR_MS - EARLIEST_MS));
}

export interface Offline {
  readonly reason: string | null;
  readonly code?: number | null;
  readonly until?: number | null;
  /** Set if the next login is so far in the future that another node may own the device by then. */
  readonly retryAt?: number | null;
}

export const offline = ({ reason, code = null, until = null, retryAt = null }: Offline) =>
  ({ reason, reason_code: code, reason_until: until, retry_at: retryAt }) satisfies DevicePatch;

export const NO_REASON = offline({ reason: null });

const OWN: ReadonlySet<number> = new Set([CLOSED.proxy, CLOSED.unreadable]);

export function lostBy(code: number): Offline {
  if (code === CLOSED.unreachable) return { reason: 'unreachable' };
  return { reason: `status_${code}`, code: OWN.has(code) ? null : code };
}

/** Returns `logged_out`, `banned` or `status_<code>`. 1000: a requested close; 0: unknown. */
export function reportedReason({ reason, code = null }: Offline): string {
  if (reason === null) return `status_${CLOSED.normally}`;
  return reason === 'logged_out' || reason === 'banned' || reason.startsWith('status_') ? reason : `status_${code ?? 0}`;
}
