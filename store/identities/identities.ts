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
  /** A hidden address that appeared with a number of somebody else: a new person, for whom the address itself stands. */
  readonly apart?: boolean;
  /** Another number that was named for the address and that nothing joins with `phone`; '': none. */
  readonly other?: string;
  readonly contradicted?: boolean;
  /** Since when the two contradict each other, epoch ms. */
  readonly since?: number;
  /** When somebody said that the address is not the person's, epoch ms: what the network said before that no longer counts. */
  readonly split_at?: number;
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
  /** The address is that of another person, to whom the number went, or who was split from the number's. */
  readonly isApart: boolean;
  /** When it was split from a person, epoch ms; 0: never. */
  readonly splitAt: number;
}

/** A hidden address for which the network named two unrelated numbers. */
export interface Contradiction {
  readonly tenant_id: string;
  readonly lid: string;
  readonly numbers: readonly string[];
  /** Epoch ms. */
  readonly since: number;
}

/** Who is who. The number is the name of a person everywhere; an address stands in for it while the number is not known. */
export interface Identities {
  find(tenantId: string, address: string): Promise<KnownIdentity | null>;
  /**
   * Durable when it resolves. True: something may still be stored under the address, until `merged` is called. A person's number may change: then
   * the new one holds. Null: nothing is learned, because the address was split from that person later.
   */
  learn(tenantId: string, address: string, learned: LearnedIdentity): Promise<boolean | null>;
  merged(tenantId: string, address: string, phone: string): Promise<void>;
  /** All addresses of the number `from` are those of `to` from now on. */
  handOver(tenantId: string, from: string, to: string): Promise<void>;
  /** The number went to another person, who has this hidden address: nothing is joined. */
  keepApart(tenantId: string, lid: string, learned: LearnedIdentity): Promise<void>;
  /** The address belongs to `to` from `at` on and no longer to `from`; where it is the address of `to` itself, it stands for itself. */
  split(tenantId: string, address: string, people: { readonly from: string; readonly to: string | null }, at: number): Promise<void>;
  /** By address, the number that went to the person of this hidden address; by number, the hidden addresses to whose people it went. */
  apartOf(tenantId: string, addresses: readonly string[], phones: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The network named `other` for an address that is known by another number. True: that is new. */
  contradict(tenantId: string, lid: string, other: string, at: number): Promise<boolean>;
  /** Of all tenants, the latest first. */
  contradictions(limit: number): Promise<readonly Contradiction[]>;
  /** Numbers by address, of those that are known; of many, in slices. */
  phonesOf(tenantId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Other addresses by number, of those that are known; of many, in slices. */
  addressesOf(tenantId: string, phones: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

export const identitiesSpec: CollectionSpec = {
  name: 'identities',
  indexes: [
    { name: 'of_phone', keys: { tenant_id: 1, phone: 1 } },
    { name: 'contradicted', keys: { since: -1 }, where: { contradicted: true } },
  ],
};
const JOINED = { apart: { $ne: true } };
const SETTLED = { apart: false, contradicted: false, other: '' };

const keyOf = (tenantId: string, address: string): string => `${tenantId}:${address}`;
const isTheirs = (row: IdentityRow, phone: string): boolean => row.phone === phone && !row.apart;
const splitAfter = ({ split_at = 0 }: IdentityRow, at: number): boolean => split_at > 0 && split_at >= at;
const addressIn = ({ _id, tenant_id }: IdentityRow): string => _id.slice(tenant_id.length + 1);

export function identitiesIn(store: Store): Identities {
  const identities: Collection<IdentityRow> = store.collection<IdentityRow>(identitiesSpec);

  return {
    async find(tenantId, address) {
      const row = await identities.findOne({ _id: keyOf(tenantId, address) });
      return (
        row && {
          phone: row.phone,
          isAsked: row.is_asked ?? false,
          at: row.at ?? 0,
          isApart: row.apart ?? false,
          splitAt: row.split_at ?? 0,
        }
      );
    },

    async learn(tenant_id, address, { phone, isAsked: is_asked, ...said }) {
      const _id = keyOf(tenant_id, address);
      const known = await identities.findOne({ _id });
      if (known && splitAfter(known, said.at)) return isTheirs(known, phone) ? false : null;
      if (known && isTheirs(known, phone)) {
        if (known.is_asked && !is_asked) await identities.updateOne({ _id, phone }, { $set: { is_asked } });
        if (known.contradicted && said.source === 'usync') await identities.updateOne({ _id, phone }, { $set: SETTLED });
        return !known.merged;
      }
      const row = { _id, tenant_id, phone, merged: false, is_asked, ...said };
      if (known === null && (await insertedOf(identities, [row])) === 1) return true;
      const other = { $or: [{ phone: { $ne: phone } }, { apart: true }] };
      const since = { $or: [{ split_at: { $exists: false } }, { split_at: { $lt: said.at } }] };
      await identities.updateOne({ _id, $and: [other, since] }, { $set: { phone, merged: false, is_asked, ...said, ...SETTLED } });
      return true;
    },

    async split(tenant_id, address, { from, to }, split_at) {
      const $set = { tenant_id, phone: to ?? from, merged: true, is_asked: false, ...SETTLED, apart: to === null, split_at };
      await identities.updateOne({ _id: keyOf(tenant_id, address) }, { $set }, { upsert: true });
    },

    merged: async (tenantId, address, phone) =>
      void (await identities.updateOne({ _id: keyOf(tenantId, address), phone }, { $set: { merged: true } })),

    handOver: async (tenant_id, phone, to) =>
      void (await identities.updateMany({ tenant_id, phone, ...JOINED }, { $set: { phone: to, is_asked: false } })),

    async keepApart(tenant_id, lid, { phone, isAsked: is_asked, ...said }) {
      const $set = { tenant_id, phone, merged: true, is_asked, ...said, ...SETTLED, apart: true };
      await identities.updateOne({ _id: keyOf(tenant_id, lid) }, { $set }, { upsert: true });
    },

    async apartOf(tenant_id, addresses, phones) {
      const keys = addresses.map((address) => keyOf(tenant_id, address));
      const [byAddress, byPhone] = await Promise.all([
        readSliced(tenant_id, keys, (some) => identities.find({ _id: { $in: some }, apart: true }).toArray()),
        readSliced(tenant_id, phones, (some) => identities.find({ tenant_id, phone: { $in: some }, apart: true }).toArray()),
      ]);
      const pairs = [
        ...byAddress.map((row) => [addressIn(row), row.phone] as const),
        ...byPhone.map((row) => [row.phone, addressIn(row)] as const),
      ];
      return new Map([...Map.groupBy(pairs, ([of]) => of)].map(([of, own]) => [of, own.map(([, other]) => other)]));
    },

    async contradict(tenantId, lid, other, since) {
      const filter = { _id: keyOf(tenantId, lid), other: { $ne: other } };
      return (await identities.updateOne(filter, { $set: { other, since, contradicted: true } })).matchedCount === 1;
    },

    async contradictions(limit) {
      const rows = await identities.find({ contradicted: true }, { sort: { since: -1 }, limit }).toArray();
      return rows.map((row) => ({
        tenant_id: row.tenant_id,
        lid: addressIn(row),
        numbers: [row.phone, row.other ?? ''],
        since: row.since ?? 0,
      }));
    },

    async phonesOf(tenantId, addresses) {
      const keys = addresses.map((address) => keyOf(tenantId, address));
      const rows = await readSliced(tenantId, keys, (some) => identities.find({ _id: { $in: some }, ...JOINED }).toArray());
      return new Map(rows.map((row) => [addressIn(row), row.phone]));
    },

    async addressesOf(tenant_id, phones) {
      const rows = await readSliced(tenant_id, phones, (some) => identities.find({ tenant_id, phone: { $in: some }, ...JOINED }).toArray());
      return new Map([...Map.groupBy(rows, ({ phone }) => phone)].map(([phone, own]) => [phone, own.map(addressIn)]));
    },
  };
}
