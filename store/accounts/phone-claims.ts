import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

/**
 * Who is about to register a phone. Owners and agents are records of two collections, and their phones are unique over both: whoever wants
 * to store one claims it first, looks into both, stores, and releases it. A claim that was forgotten ends by itself.
 */
export interface PhoneClaims {
  /** False: the phone is already claimed. `by` is fresh for each claim; `until` and `now` are epoch ms. */
  claim(phone: string, by: string, until: number, now: number): Promise<boolean>;
  /** It ends at `until`. False: it is somebody else's by now. */
  renew(phone: string, by: string, until: number): Promise<boolean>;
  release(phone: string, by: string): Promise<void>;
}

interface ClaimRow {
  /** Digits. */
  readonly _id: string;
  readonly by: string;
  readonly expires_at: number;
}

const spec: CollectionSpec = { name: 'phone_claims', indexes: [], expires: 'expires_at' };

export function phoneClaimsIn(store: Store): PhoneClaims {
  const claims: Collection<ClaimRow> = store.collection<ClaimRow>(spec);
  return {
    claim: (_id, by, until, now) => upsertWhere(claims, { _id, expires_at: { $lte: now } }, { $set: { by, expires_at: until } }),

    renew: async (_id, by, until) => (await claims.updateOne({ _id, by }, { $set: { expires_at: until } })).matchedCount === 1,

    release: async (_id, by) => void (await claims.deleteOne({ _id, by })),
  };
}
