import { CLOSED } from '../port.ts';

/** What the network says beyond the codes of the port: those after which no other try helps, and those after which one does. */
const OTHER_CODES: Readonly<Record<number, number>> = {
  402: CLOSED.banned,
  405: CLOSED.mismatch,
  406: CLOSED.banned,
  409: CLOSED.mismatch,
};
const CODES: ReadonlySet<number> = new Set(Object.values(CLOSED));

/** The code with which a line closed, of what the library says about it. */
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
