import { readSliced } from '../paging/read-sliced.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

/**
 * Other addresses of people whose number is known, as a tenant's devices learned them: hidden ones (`…@lid`), and addresses by number that are
 * dialled for them and are registered in another form. A row of an earlier release lacks what follows `merged`.
 */
interface IdentityRow {
  /** `<tenant>:<address>`. */
  readonly _id: string;
  readonly tenant_id: string;
  /** Digits of the number that stands for the person. */
  readonly phone: string;
  /** All that was stored under the address is now the number's. */
  readonly merged: boolean;
  /** The number is only the one that was asked about; see `IdentityFact`. */
  readonly is_asked?: boolean;
  /** Who said so, and when (epoch ms). */
  readonly source?: string;
  readonly at?: number;
  readonly username?: string | null;
}

/** What was learned of an address. */
export interface LearnedIdentity {
  readonly phone: string;
  readonly isAsked: boolean;
  readonly source: string;
  readonly at: number;
  readonly username: string | null;
}

/** What is known of an address. */
export interface KnownIdentity {
  readonly phone: string;
  readonly isAsked: boolean;
  /** Since when it is known; 0: an earlier release did not note it. */
  readonly at: number;
}

/** Who is who. The number is the name of a person everywhere; an address stands in for it while the number is not known. */
export interface Identities {
  find(tenantId: string, address: string): Promise<KnownIdentity | null>;
  /**
   * Durable when it resolves. True: something may still be stored under the address, until `merged` is called. A person's number may change: then
   * the new one holds.
   */
  learn(tenantId: string, address: string, learned: LearnedIdentity): Promise<boolean>;
  merged(tenantId: string, address: string, phone: string): Promise<void>;
  /** All addresses of the number `from` are those of `to` from now on. */
  handOver(tenantId: string, from: string, to: string): Promise<void>;
  /** Numbers by address, of those that are known; of many, in slices. */
  phonesOf(tenantId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Other addresses by number, of those that are known. */
  addressesOf(tenantId: string, phones: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

export const identitiesSpec: CollectionSpec = { name: 'identities', indexes: [{ name: 'of_phone', keys: { tenant_id: 1, phone: 1 } }] };

const keyOf = (tenantId: string, address: string): string => `${tenantId}:${address}`;
const addressIn = ({ _id, tenant_id }: IdentityRow): string => _id.slice(tenant_id.length + 1);

export function identitiesIn(store: Store): Identities {
  const identities: Collection<IdentityRow> = store.collection<IdentityRow>(identitiesSpec);

  return {
    async find(tenantId, address) {
      const row = await identities.findOne({ _id: keyOf(tenantId, address) });
      return row && { phone: row.phone, isAsked: row.is_asked ?? false, at: row.at ?? 0 };
    },

    async learn(tenant_id, address, { phone, isAsked: is_asked, ...said }) {
      const _id = keyOf(tenant_id, address);
      const known = await identities.findOne({ _id });
      if (known?.phone === phone) {
        if (known.is_asked && !is_asked) await identities.updateOne({ _id, phone }, { $set: { is_asked } });
        return !known.merged;
      }
      const row = { _id, tenant_id, phone, merged: false, is_asked, ...said };
      if (known === null && (await insertedOf(identities, [row])) === 1) return true;
      await identities.updateOne({ _id, phone: { $ne: phone } }, { $set: { phone, merged: false, is_asked, ...said } });
      return true;
    },

    merged: async (tenantId, address, phone) =>
      void (await identities.updateOne({ _id: keyOf(tenantId, address), phone }, { $set: { merged: true } })),

    handOver: async (tenant_id, phone, to) =>
      void (await identities.updateMany({ tenant_id, phone }, { $set: { phone: to, is_asked: false } })),

    async phonesOf(tenantId, addresses) {
      const keys = addresses.map((address) => keyOf(tenantId, address));
      const rows = await readSliced(tenantId, keys, (some) => identities.find({ _id: { $in: some } }).toArray());
      return new Map(rows.map((row) => [addressIn(row), row.phone]));
    },

    async addressesOf(tenant_id, phones) {
      if (phones.length === 0) return new Map();
      const rows = await identities.find({ tenant_id, phone: { $in: phones } }).toArray();
      return new Map([...Map.groupBy(rows, ({ phone }) => phone)].map(([phone, own]) => [phone, own.map(addressIn)]));
    },
  };
}
