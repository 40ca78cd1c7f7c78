import type { Outgoing } from '../sink.ts';

/**
 * The attributes of an event as headers with a prefix. Values are ASCII: other characters are
 * percent-encoded, as the HTTP binding of CloudEvents requires.
 */
export const prefixed = (prefix: string, { attributes }: Outgoing): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      `${prefix}${name}`,
      value.replace(/[^\x21-\x7e]|["%]/gu, (mark) => (mark.isWellFormed() ? encodeURIComponent(mark) : '')),
    ]),
  );
