import { hash } from 'node:crypto';
import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

/**
 * Hashes of the people messaged outside their windows within 24 hours. Nodes cache the counts, so
 * the limits may be exceeded slightly.
 */
export interface OfficialReachRow extends Doc {
  readonly tenant_id: string;
  readonly waba_id: string;
  readonly at: number;
  readonly expires_at: number;
}

export interface OfficialReach {
  /** Returns how long to wait in ms, or 0 if the person was counted. */
  take(of: { readonly tenantId: string; readonly wabaId: string }, chatId: string, most: number, now: number): Promise<number>;
}

interface Count {
  count: number;
  readonly at: number;
  full: { readonly most: number; readonly until: number } | null;
}

const DAY_MS = 86_400_000;
const REMEMBERED_MS = 60_000;

const officialReachSpec: CollectionSpec = {
  name: 'official_reach',
  indexes: [{ name: 'of_account', keys: { tenant_id: 1, waba_id: 1, at: 1 } }],
  expires: 'expires_at',
};

export function officialReachIn(store: Store): OfficialReach {
  const people: Collection<OfficialReachRow> = store.collection<OfficialReachRow>(officialReachSpec);
  const counted = new Map<string, Count>();

  async function countOf(key: string, filter: { readonly tenant_id: string; readonly waba_id: string }, now: number) {
    const known = counted.get(key);
    if (known && now - known.at < REMEMBERED_MS && now >= known.at) return known;
    const count = await people.countDocuments({ ...filter, at: { $gt: now - DAY_MS } });
    const fresh: Count = { count, at: now, full: null };
    counted.set(key, fresh);
    return fresh;
  }

  return {
    async take({ tenantId: tenant_id, wabaId: waba_id }, chatId, most, now) {
      const key = `${tenant_id}:${waba_id}`;
      const _id = `${key}:${hash('sha256', chatId)}`;
      const before = await people.findOne({ _id });
      if (before && before.at > now - DAY_MS) return 0;
      const account = await countOf(key, { tenant_id, waba_id }, now);
      if (account.count >= most) {
        const { full } = account;
        if (full?.most === most && full.until > now) return full.until - now;
        const recent = { tenant_id, waba_id, at: { $gt: now - DAY_MS } };
        const [oldest] = await people.find(recent, { sort: { at: 1 }, limit: 1 }).toArray();
        const until = Math.max(now + 1, (oldest?.at ?? now) + DAY_MS);
        account.full = { most, until };
        return until - now;
      }
      await people.updateOne({ _id }, { $set: { tenant_id, waba_id, at: now, expires_at: now + DAY_MS } }, { upsert: true });
      account.count += 1;
      return 0;
    },
  };
}
