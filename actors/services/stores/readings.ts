import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { StoreLinkRow } from '../../../store/store-links/links.ts';
import { resolvedFact } from '../../store-link/behaviour/read-hook.ts';
import type { ResolvedFact, UnstoredHook } from '../../store-link/protocol.ts';

/** What a webhook says. `callingCode`: of the business, for numbers without one. */
export type Readings = (
  link: Pick<StoreLinkRow, '_id' | 'platform'>,
  topic: string,
  what: Pick<UnstoredHook, 'body' | 'mark'>,
  callingCode: string,
) => ResolvedFact;

const REMEMBERED = 1_000;
/** What a longer one says is read again. */
const MAX_CHARS = 8_192;

/** Reads a body once: stores say the same several times. Another body has another mark: nothing has to be forgotten. */
export function createReadings(): Readings {
  const known = new RecentCache<string, ResolvedFact>(REMEMBERED);
  return ({ _id, platform }, topic, { body, mark }, callingCode) => {
    if (mark === null || body.length > MAX_CHARS) return resolvedFact(platform, topic, body, callingCode);
    const name = `${_id} ${mark} ${callingCode} ${topic}`;
    const fact = known.get(name) ?? resolvedFact(platform, topic, body, callingCode);
    known.set(name, fact);
    return fact;
  };
}
