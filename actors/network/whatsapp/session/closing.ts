import { memberOf } from '../../../../runtime/shapes.ts';
import { CLOSED } from '../../port.ts';
import type { BinaryNode } from '../library.ts';

/**
 * Converts the reason why a connection ended into a close code. If the network refused the login,
 * its own code is kept.
 */

export const OVER: ReadonlySet<number> = new Set([CLOSED.loggedOut, CLOSED.banned]);

/** The gateway's own codes. If the network sends one of these numbers, it means something else. */
const OWN: ReadonlySet<number> = new Set([CLOSED.unreachable, CLOSED.normally, CLOSED.proxy, CLOSED.unreadable]);
const NO_LINKED_DEVICES = 411;
const CODES: ReadonlySet<number> = new Set([...Object.values(CLOSED), NO_LINKED_DEVICES].filter((code) => !OWN.has(code)));

export function codeOf(error: unknown, isOpen: boolean): number {
  const code = statusOf(error);
  if (code === null) return CLOSED.dropped;
  // The socket itself failed, so this status is from an HTTP response, for example of a proxy.
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

/** Returns null if the network withdraws the announcement, and undefined if it is unreadable. */
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
