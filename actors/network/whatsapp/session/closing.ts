import { memberOf } from '../../../../runtime/shapes.ts';
import { CLOSED } from '../../port.ts';

/**
 * What the network says beyond the codes of the port. It does not take this version of the client: 405, 409; the login is as good as before, for
 * a later version.
 */
const OTHER_CODES: Readonly<Record<number, number>> = { 405: 405, 406: CLOSED.banned, 409: 409 };

/** After these a login is of no use any more, and its phone has to link the device again. */
export const OVER: ReadonlySet<number> = new Set([CLOSED.loggedOut, CLOSED.banned, CLOSED.mismatch]);

const CODES: ReadonlySet<number> = new Set(Object.values(CLOSED));

/** The code with which a connection closed, of what the library says about it. */
export function codeOf(error: unknown): number {
  const code = statusOf(error);
  if (code === null) return CLOSED.dropped;
  if (CODES.has(code)) return code;
  const other = OTHER_CODES[code];
  return other ?? (code > CLOSED.failed ? CLOSED.unavailable : CLOSED.failed);
}

/** For how long the network takes no login, of what the library says about the end of a connection. */
export function closedForMs(error: unknown): number {
  if (statusOf(error) !== CLOSED.bannedForNow) return 0;
  const seconds = Number(memberOf(memberOf(error, 'data'), 'expire'));
  return seconds > 0 ? Math.min(seconds * 1_000, LONGEST_MS) : UNTOLD_MS;
}

/** A ban may be lifted early, too. */
const LONGEST_MS = 86_400_000;
const UNTOLD_MS = 3_600_000;

/** The library's errors carry an HTTP-like status. */
export function statusOf(error: unknown): number | null {
  const status = memberOf(memberOf(error, 'output'), 'statusCode');
  return typeof status === 'number' ? status : null;
}
