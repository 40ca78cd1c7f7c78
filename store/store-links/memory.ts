import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

/** Ensures that each order or checkout triggers only one message. `sealed` holds numbers and names. */
export interface StoreMemoryRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly link_id: string;
  readonly kind: 'order' | 'checkout';
  readonly keys: readonly string[];
  readonly phone_key: string | null;
  readonly sealed: string;
  readonly seen_at: number;
  readonly expires_at: number;
  readonly epoch: number;
}

export interface StoreMemory {
  find(id: string): Promise<StoreMemoryRow | null>;
  checkouts(linkId: string, keys: readonly string[], phoneKey: string | null): Promise<readonly StoreMemoryRow[]>;
  orderedAt(linkId: string, phoneKey: string, since: number): Promise<number | null>;
  save(row: StoreMemoryRow): Promise<boolean>;
  checkoutIds(linkId: string): Promise<readonly string[]>;
  removeAll(linkId: string): Promise<void>;
}

export const storeMemorySpec: CollectionSpec = {
  name: 'store_memory',
  indexes: [
    { name: 'by_key', keys: { link_id: 1, keys: 1 } },
    { name: 'by_phone', keys: { link_id: 1, phone_key: 1, kind: 1, seen_at: -1 } },
  ],
  retired: ['by_kind'],
  arrays: ['keys'],
  expires: 'expires_at',
};

const MAX_FOUND = 200;

export function storeMemoryIn(store: Store): StoreMemory {
  const memory: Collection<StoreMemoryRow> = store.collection<StoreMemoryRow>(storeMemorySpec);

  return {
    find: (_id) => memory.findOne({ _id }),

    async checkouts(link_id, keys, phone_key) {
      const [byKey, byPhone] = await Promise.all([
        keys.length === 0 ? [] : memory.find({ link_id, keys: { $in: keys }, kind: 'checkout' }, { limit: MAX_FOUND }).toArray(),
        phone_key === null
          ? []
          : memory.find({ link_id, phone_key, kind: 'checkout' }, { sort: { seen_at: -1 }, limit: MAX_FOUND }).toArray(),
      ]);
      return [...new Map([...byKey, ...byPhone].map((row) => [row._id, row])).values()];
    },

    async orderedAt(link_id, phone_key, since) {
      const found = await memory.findOne({ link_id, phone_key, kind: 'order', seen_at: { $gte: since } }, { sort: { seen_at: -1 } });
      return found?.seen_at ?? null;
    },

    save: ({ _id, ...fields }) => upsertWhere(memory, { _id, epoch: { $lte: fields.epoch } }, { $set: fields }),

    async checkoutIds(link_id) {
      const rows = await memory.find({ link_id, kind: 'checkout' }, { projection: { _id: 1 } }).toArray();
      return rows.map(({ _id }) => _id.slice(link_id.length + '/checkout/'.length));
    },

    removeAll: async (link_id) => void (await memory.deleteMany({ link_id })),
  };
}
