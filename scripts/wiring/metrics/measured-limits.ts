import type { LimitResult, Limits } from '../../../http/limits/limits.ts';
import { before } from '../../../runtime/invariant.ts';
import type { Counts } from '../../../runtime/metrics/counts.ts';

/** The first parts of the limits' keys. The rest of a key identifies the limited caller. */
export const LIMIT_NAMES = [
  ...['requests', 'send', 'validate', 'scheduled', 'blast', 'bulk', 'mcp-calls', 'mcp-sends'],
  ...['sign-up', 'code-requests', 'one-time-code', 'passkeys', 'passkey-options', 'passkey-ceremony', 'agent-phones', 'checkouts'],
  ...['console-calls', 'console-refreshes', 'console-refreshes-refused'],
  ...['store-hooks', 'store-forgeries', 'store-test', 'payment-forgeries', 'official-forgeries', 'billing-asks', 'link-previews'],
] as const;

/** Prefix of keys that only detect a first occurrence. Their refusals are not counted. */
const QUIET = 'first-sign-up:';

export function measuredLimits(limits: Limits, refusals: Counts): Limits {
  const count = (key: string, { ok }: LimitResult): void => {
    if (!ok && !key.startsWith(QUIET)) refusals.add(before(key, ':'));
  };
  return {
    take(key, max, windowMs, now) {
      const result = limits.take(key, max, windowMs, now);
      if ('then' in result)
        return result.then((late) => {
          count(key, late);
          return late;
        });
      count(key, result);
      return result;
    },
    takeAll(windows, now) {
      const results = limits.takeAll(windows, now);
      const countAll = (all: readonly LimitResult[]): readonly LimitResult[] => {
        for (const [nth, result] of all.entries()) if (!result.ok) count(windows[nth]?.key ?? '', result);
        return all;
      };
      return 'then' in results ? results.then(countAll) : countAll(results);
    },
  };
}
