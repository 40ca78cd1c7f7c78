import { CLOSED } from '../../port.ts';

/**
 * What the network says beyond the codes of the port. It does not take this version of the client: 405, 409; the login is as good as before, for
 * a later version.
 */
const OTHER_CODES: Readonly<Record<number, number>> = { 402: CLOSED.banned, 405: 405, 406: CLOSED.banned, 409: 409 };

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

/** The library's errors carry an HTTP-like status. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('output' in error)) return null;
  const { output } = error;
  if (typeof output !== 'object' || output === null || !('statusCode' in output)) return null;
  return typeof output.statusCode === 'number' ? output.statusCode : null;
}
