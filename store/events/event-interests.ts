import { whileUnchanged } from '../patterns/while-unchanged.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

interface InterestRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly type: string;
  readonly expires_at: number;
}

export interface EventInterests {
  keep(tenantId: string, types: readonly string[], expiresAt: number): Promise<void>;
  list(tenantId: string, now: number): Promise<readonly string[]>;
}

const spec: CollectionSpec = {
  name: 'event_interests',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1 } }],
  expires: 'expires_at',
};

const TENANTS = 1_000;

export function eventInterestsIn(store: Store): EventInterests {
  const interests: Collection<InterestRow> = store.collection<InterestRow>(spec);
  const remembered = whileUnchanged<readonly InterestRow[]>(store, spec, TENANTS);

  async function keepOne(tenant_id: string, type: string, expires_at: number): Promise<void> {
    try {
      await interests.updateOne({ _id: `${tenant_id}:${type}` }, { $set: { tenant_id, type, expires_at } }, { upsert: true });
    } catch (cause) {
      // Another caller has stored the same interest at the same time, with the same expiry.
      if (!isDuplicateKey(cause)) throw cause;
    }
  }

  return {
    keep: async (tenantId, types, expiresAt) => void (await Promise.all(types.map((type) => keepOne(tenantId, type, expiresAt)))),
    async list(tenant_id, now) {
      const kept = await remembered(tenant_id, () => interests.find({ tenant_id, expires_at: { $gt: now } }).toArray());
      return kept.filter(({ expires_at }) => expires_at > now).map(({ type }) => type);
    },
  };
}
