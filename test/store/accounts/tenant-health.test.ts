import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../../runtime/ids.ts';
import { type TenantRow, tenantsIn } from '../../../store/accounts/tenants.ts';
import type { Collection, CollectionSpec, Doc, Store } from '../../../store/port.ts';
import { eachStore } from '../../support/stores.ts';

const TENANTS = 10_000;

/** Counts the questions that a store is asked. */
function counting(store: Store): { readonly store: Store; asked(): number } {
  let count = 0;
  const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> =>
    new Proxy(store.collection<T>(spec), {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          count += 1;
          return Reflect.apply(member, target, args);
        };
      },
    });
  return { store: { ...store, name: store.name, collection, prepare: () => store.prepare() }, asked: () => count };
}

const aTenant = (nth: number): TenantRow => ({
  _id: newId(nth),
  name: `Tenant ${nth}`,
  phone: `62811${nth}`,
  plan: 'free',
  suspended: false,
  profile: {
    business_name: null,
    country: 'ID',
    timezone: 'Asia/Jakarta',
    locale: 'id',
    industry: null,
    currency: 'IDR',
    configured: false,
  },
  settings: {},
  settings_revision: 0,
  created_at: nth,
  updated_at: nth,
  health: { at: nth, rank: (nth * 7_919) % 1_003, signs: [] },
});

// The embedded store of the tests refuses a question that reads more rows than its index should need.
eachStore('a list of 10,000 tenants', (kind) => {
  it('is sorted from worst to best, and needs one index read per page', async (t) => {
    const { store, asked } = counting(await kind.fresh(t));
    const tenants = tenantsIn(store);
    const rows: Collection<TenantRow> = store.collection<TenantRow>({ name: 'tenants', indexes: [] });
    await store.prepare();
    const all = Array.from({ length: TENANTS }, (_, nth) => aTenant(nth));
    await rows.insertMany(all);
    const expected = all
      .map(({ _id, health }) => ({ _id, rank: health?.rank ?? 0 }))
      .toSorted((one, other) => other.rank - one.rank || (one._id < other._id ? 1 : -1));
    let [before, beforeId]: [number | null, string | null] = [null, null];
    for (let page = 0; page < 3; page += 1) {
      const since = asked();
      const found: TenantRow[] = await Array.fromAsync(tenants.worst({ limit: 50, before, beforeId }));
      assert.equal(asked() - since, 1);
      assert.deepEqual(
        found.map(({ _id }) => _id),
        expected.slice(page * 50, page * 50 + 50).map(({ _id }) => _id),
      );
      const last = found.at(-1);
      [before, beforeId] = [last?.health?.rank ?? null, last?._id ?? null];
    }
  });
});
