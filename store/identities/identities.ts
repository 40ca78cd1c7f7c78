import { readSliced } from '../paging/read-sliced.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

/** Maps a hidden address (`…@lid`), or another form of a number, to the person's number. */
interface IdentityRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly phone: string;
  readonly merged: boolean;
  readonly is_asked?: boolean;
  readonly source?: string;
  readonly at?: number;
  readonly username?: string | null;
  /** True if the hidden address appeared with another person's number but belongs to a new person. */
  readonly apart?: boolean;
  readonly other?: string;
  readonly contradicted?: boolean;
  readonly since?: number;
  /** Time when a user separated the address from the person. Earlier reports are ignored. */
  readonly split_at?: number;
}

export interface LearnedIdentity {
  readonly phone: string;
  readonly isAsked: boolean;
  readonly source: string;
  readonly at: number;
  readonly username: string | null;
}

export interface KnownIdentity {
  readonly phone: string;
  readonly isAsked: boolean;
  readonly at: number;
  /** True if the address belongs to another person, who took over the number or was separated by a user. */
  readonly isApart: boolean;
  readonly splitAt: number;
}

export interface Contradiction {
  readonly tenant_id: string;
  readonly lid: string;
  readonly numbers: readonly string[];
  readonly since: number;
}

export interface Identities {
  find(tenantId: string, address: string): Promise<KnownIdentity | null>;
  /** Returns true if data may still be stored under the address, null if it has been separated since. */
  learn(tenantId: string, address: string, learned: LearnedIdentity): Promise<boolean | null>;
  merged(tenantId: string, address: string, phone: string): Promise<void>;
  handOver(tenantId: string, from: string, to: string): Promise<void>;
  /** Records that another person with this hidden address has the number; does not merge any data. */
  keepApart(tenantId: string, lid: string, learned: LearnedIdentity): Promise<void>;
  /** Separates the address from `from`. If `to` is null, the address becomes a person of its own. */
  split(tenantId: string, address: string, people: { readonly from: string; readonly to: string | null }, at: number): Promise<void>;
  /** Maps addresses to the numbers that their persons took over, and these numbers to the addresses. */
  apartOf(tenantId: string, addresses: readonly string[], phones: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  contradict(tenantId: string, lid: string, other: string, at: number): Promise<boolean>;
  contradictions(limit: number): Promise<readonly Contradiction[]>;
  phonesOf(tenantId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, string>>;
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
