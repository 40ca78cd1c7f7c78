import { memberOf } from '../../../../runtime/shapes.ts';
import { CLOSED } from '../../port.ts';
import type { BinaryNode } from '../library.ts';

/** Converts the end of a connection into a code. A refused login keeps the network's own code. */

export const OVER: ReadonlySet<number> = new Set([CLOSED.loggedOut, CLOSED.banned]);

/** The gateway's own codes. The same number from the network means something else. */
const OWN: ReadonlySet<number> = new Set([CLOSED.unreachable, CLOSED.normally, CLOSED.proxy, CLOSED.unreadable]);
const NO_LINKED_DEVICES = 411;
const CODES: ReadonlySet<number> = new Set([...Object.values(CLOSED), NO_LINKED_DEVICES].filter((code) => !OWN.has(code)));

export function codeOf(error: unknown, isOpen: boolean): number {
  const code = statusOf(error);
  if (code === null) return CLOSED.dropped;
  // The status comes from an HTTP response along the path, because the socket itself failed.
  if (memberOf(error, 'data') instanceof Error) return isOpen ? CLOSED.dropped : CLOSED.unreachable;
  if (CODES.has(code)) return code;
  return code > CLOSED.failed ? CLOSED.unavailable : CLOSED.failed;
}

export function refusalIn(attrs: Readonly<Record<string, string>>, now: number): { readonly code: number; readonly until: number | null } {
  const given = Number(attrs['reason']);
  const code = Number.isSafeInteger(given) && given >= LOWEST_CODE && !OWN.has(given) ? given : CLOSED.failed;
  const seconds = code === CLOSED.bannedForNow ? Number(attrs['expire']) : 0;
  return { code, until: seconds > 0 ? now + Math.min(Math.ceil(seconds * 1_000), LONGEST_MS) : null };
}

/** Returns null if the announcement is withdrawn, and undefined if it is unreadable. */
export function expiryIn(stanza: BinaryNode): number | null | undefined {
  const child = Array.isArray(stanza.content) ? stanza.content.find(({ tag }) => tag === 'client_expiration') : undefined;
  const seconds = child?.attrs['t'];
  if (!child || seconds === undefined) return child && null;
  return /^\d{1,11}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

const LOWEST_CODE = 400;
const LONGEST_MS = 10 * 365 * 86_400_000;

export function statusOf(error: unknown): number | null {
  const status = memberOf(memberOf(error, 'output'), 'statusCode');
  return typeof status === 'number' ? status : null;
}
