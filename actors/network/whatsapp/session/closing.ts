import { memberOf } from '../../../../runtime/shapes.ts';
import { CLOSED } from '../../port.ts';
import type { BinaryNode } from '../library.ts';

/**
 * In which of the port's codes a connection of the client library closed. A login that the network refuses (`<failure>`) never comes through
 * the library: its code is the network's own, whatever it is.
 */

/** After these a login is of no use any more, and its phone has to link the device again. */
export const OVER: ReadonlySet<number> = new Set([CLOSED.loggedOut, CLOSED.banned]);

/** The gateway's own, which the network's numbers must not be taken for. */
const OWN: ReadonlySet<number> = new Set([CLOSED.unreachable, CLOSED.normally, CLOSED.proxy, CLOSED.unreadable]);
/** An account that has no linked devices at all. */
const NO_LINKED_DEVICES = 411;
const CODES: ReadonlySet<number> = new Set([...Object.values(CLOSED), NO_LINKED_DEVICES].filter((code) => !OWN.has(code)));

/** The code with which a connection closed, of what the library says about it. `isOpen`: the network had let the login in. */
export function codeOf(error: unknown, isOpen: boolean): number {
  const code = statusOf(error);
  if (code === null) return CLOSED.dropped;
  // The socket's own failure: a status beside it is that of some HTTP answer on the way.
  if (memberOf(error, 'data') instanceof Error) return isOpen ? CLOSED.dropped : CLOSED.unreachable;
  if (CODES.has(code)) return code;
  return code > CLOSED.failed ? CLOSED.unavailable : CLOSED.failed;
}

/** The code of a refused login, and the end that the network names for it, epoch ms; null: it names none. */
export function refusalIn(attrs: Readonly<Record<string, string>>, now: number): { readonly code: number; readonly until: number | null } {
  const given = Number(attrs['reason']);
  const code = Number.isSafeInteger(given) && given >= LOWEST_CODE && !OWN.has(given) ? given : CLOSED.failed;
  const seconds = code === CLOSED.bannedForNow ? Number(attrs['expire']) : 0;
  return { code, until: seconds > 0 ? now + Math.min(Math.ceil(seconds * 1_000), LONGEST_MS) : null };
}

/** When the network will refuse the build, epoch ms; null: it takes that back; undefined: it cannot be read. */
export function expiryIn(stanza: BinaryNode): number | null | undefined {
  const child = Array.isArray(stanza.content) ? stanza.content.find(({ tag }) => tag === 'client_expiration') : undefined;
  const seconds = child?.attrs['t'];
  if (!child || seconds === undefined) return child && null;
  return /^\d{1,11}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

const LOWEST_CODE = 400;
/** A time beyond this is no time. */
const LONGEST_MS = 10 * 365 * 86_400_000;

/** The library's errors carry an HTTP-like status. */
export function statusOf(error: unknown): number | null {
  const status = memberOf(memberOf(error, 'output'), 'statusCode');
  return typeof status === 'number' ? status : null;
}
