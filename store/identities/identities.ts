import { readSliced } from '../paging/read-sliced.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

/** A hidden address (`…@lid`) and the number (digits) of the same person, as a tenant's devices learned it. */
interface IdentityRow {
  /** `<tenant>:<lid>`. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly lid: string;
  readonly phone: string;
  /** All that was stored under the hidden address is now the number's. */
  readonly merged: boolean;
}

/** Who is who. The number is the name of a person everywhere; the hidden address stands in for it while the number is not known. */
export interface Identities {
  /**
   * Durable when it resolves. True: something may still be stored under the hidden address, until `merged` is told. A person's number may
   * change: then the new one holds.
   */
  learn(tenantId: string, lid: string, phone: string): Promise<boolean>;
  merged(tenantId: string, lid: string, phone: string): Promise<void>;
  /** Numbers by hidden address, of those that are known; of many, in slices. */
  phonesOf(tenantId: string, lids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Hidden addresses by number, of those that are known. */
  lidsOf(tenantId: string, phones: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

const spec: CollectionSpec = { name: 'identities', indexes: [{ name: 'of_phone', keys: { tenant_id: 1, phone: 1 } }] };

const keyOf = (tenantId: string, lid: string): string => `${tenantId}:${lid}`;

export function identitiesIn(store: Store): Identities {
  const identities: Collection<IdentityRow> = store.collection<IdentityRow>(spec);

  return {
    async learn(tenant_id, lid, phone) {
      const _id = keyOf(tenant_id, lid);
      const known = await identities.findOne({ _id });
      if (known?.phone === phone) return !known.merged;
      if (known === null && (await insertedOf(identities, [{ _id, tenant_id, lid, phone, merged: false }])) === 1) return true;
      await identities.updateOne({ _id, phone: { $ne: phone } }, { $set: { phone, merged: false } });
      return true;
    },

    merged: async (tenantId, lid, phone) =>
      void (await identities.updateOne({ _id: keyOf(tenantId, lid), phone }, { $set: { merged: true } })),

    async phonesOf(tenantId, lids) {
      const keys = lids.map((lid) => keyOf(tenantId, lid));
      const rows = await readSliced(tenantId, keys, (some) => identities.find({ _id: { $in: some } }).toArray());
      return new Map(rows.map(({ lid, phone }) => [lid, phone]));
    },

    async lidsOf(tenant_id, phones) {
      if (phones.length === 0) return new Map();
      const rows = await identities.find({ tenant_id, phone: { $in: phones } }).toArray();
      return new Map([...Map.groupBy(rows, ({ phone }) => phone)].map(([phone, own]) => [phone, own.map(({ lid }) => lid)]));
    },
  };
}
