import type { DevicePatch } from '../../store/devices/devices.ts';
import { CLOSED } from './close-codes.ts';

/**
 * What it means when the network refuses a login, and the words in which a device says why it is not connected. A refused login keeps
 * what the device logs in with, unless the network unlinked or banned the number: those end in `fail` (connection.ts). The words are
 * stored in the device's row (`reason`, `reason_since`, `reason_code`, `reason_until`), in the same write as its status.
 */

const LOGIN_REFUSALS = ['client_outdated', 'banned_temporarily', 'network_refused'] as const;
export type LoginRefusal = (typeof LOGIN_REFUSALS)[number];

export const isLoginRefusal = (reason: string | null): reason is LoginRefusal => LOGIN_REFUSALS.some((one) => one === reason);

const HOUR_MS = 3_600_000;
/** The earliest of the hourly tries: devices that were refused together do not come back together. */
const EARLIEST_MS = 55 * 60_000;

const REFUSALS: ReadonlyMap<number, LoginRefusal> = new Map<number, LoginRefusal>([
  [CLOSED.bannedForNow, 'banned_temporarily'],
  [CLOSED.outdated, 'client_outdated'],
  ...[400, 406, CLOSED.badAgent, 411, 412, 413, 414, 415, 418, 501].map((code) => [code, 'network_refused'] as const),
]);

/** Null for a code after which the device reconnects at once or has to be linked again. */
export const refusalOf = (code: number): LoginRefusal | null => REFUSALS.get(code) ?? null;

/** Why the network let a login in no more, in the words of `reason`; null for a code that says nothing of the login. */
export function refusedAs(code: number): string | null {
  if (code === CLOSED.loggedOut) return 'logged_out';
  return code === CLOSED.banned ? 'banned' : refusalOf(code);
}

/** Reasons that come with a refused login: an event reports them although the device was not connected before. */
export const REFUSAL_REASONS: readonly string[] = [...LOGIN_REFUSALS, 'logged_out', 'banned'];

export const isReported = (reason: string | null): boolean => reason !== null && REFUSAL_REASONS.includes(reason);

/**
 * Milliseconds until the next try: at the time that the network named, but `atLeastMs` where it names one after the other; else within the
 * hour. `jitter` is in [0, 1).
 */
export function pauseAfter(until: number | null, atLeastMs: number, jitter: number, now: number): number {
  if (until !== null) return Math.max(atLeastMs, until - now) + Math.round(jitter * 1_000);
  return EARLIEST_MS + Math.round(jitter * (HOUR_MS - EARLIEST_MS));
}

/** The fields that say why a device is not connected. `code` is the network's number, null when there is none. */
export interface Offline {
  readonly reason: string | null;
  readonly code?: number | null;
  readonly until?: number | null;
  /** When the device logs in again, epoch ms, where that is so far away that its next owner has to know; else null. */
  readonly retryAt?: number | null;
}

export const offline = ({ reason, code = null, until = null, retryAt = null }: Offline) =>
  ({ reason, reason_code: code, reason_until: until, retry_at: retryAt }) satisfies DevicePatch;

export const NO_REASON = offline({ reason: null });

/** Numbers in `status_<code>` that are the gateway's own. */
const OWN: ReadonlySet<number> = new Set([CLOSED.proxy, CLOSED.unreadable]);

/** A connection that was lost, by the code of its end. */
export function lostBy(code: number): Offline {
  if (code === CLOSED.unreachable) return { reason: 'unreachable' };
  return { reason: `status_${code}`, code: OWN.has(code) ? null : code };
}

/** `reason` of the event `session.disconnected`: `logged_out`, `banned` or `status_<code>`; 1000 for a requested end, 0 without a code. */
export function reportedReason({ reason, code = null }: Offline): string {
  if (reason === null) return `status_${CLOSED.normally}`;
  return reason === 'logged_out' || reason === 'banned' || reason.startsWith('status_') ? reason : `status_${code ?? 0}`;
}
