import type { Outgoing } from '../sink.ts';

/** Percent-encodes non-ASCII characters (HTTP binding of CloudEvents). */
export const prefixed = (prefix: string, { attributes }: Outgoing): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      `${prefix}${name}`,
      value.replace(/[^\x21-\x7e]|["%]/gu, (mark) => (mark.isWellFormed() ? encodeURIComponent(mark) : '')),
    ]),
  );
