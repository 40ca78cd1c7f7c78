/**
 * Short-lived claims on a phone that is being registered. A phone must be unique across owners and
 * agents, who are stored in two collections. A caller claims the phone, checks both collections,
 * stores the record and releases the claim. A claim that is not released expires.
 */

import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface PhoneClaims {
  claim(phone: string, by: string, until: number, now: number): Promise<boolean>;
  renew(phone: string, by: string, until: number): Promise<boolean>;
  release(phone: string, by: string): Promise<void>;
}

interface ClaimRow {
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
