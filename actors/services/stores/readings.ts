import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { StoreLinkRow } from '../../../store/store-links/links.ts';
import { resolvedFact } from '../../store-link/behaviour/read-hook.ts';
import type { ResolvedFact, UnstoredHook } from '../../store-link/protocol.ts';

export type Readings = (
  link: Pick<StoreLinkRow, '_id' | 'platform'>,
  topic: string,
  what: Pick<UnstoredHook, 'body' | 'mark'>,
  callingCode: string,
) => ResolvedFact;

const REMEMBERED = 1_000;
const MAX_CHARS = 8_192;

/** Caches facts of repeated webhooks. A changed body has another `mark`, so entries stay valid. */
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
