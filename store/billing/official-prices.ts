import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

/** The vendor's prices per message, in main units. A table is valid until the currency's next table. */
export interface PriceTableRow extends Doc {
  readonly _id: string;
  readonly currency: string;
  readonly effective_from: number;
  readonly rows: readonly Price[];
}

export interface Price {
  readonly country: string;
  readonly category: string;
  readonly amount: number;
}

export interface OfficialPrices {
  put(table: Omit<PriceTableRow, '_id'>): Promise<void>;
  list(limit: number): Promise<readonly PriceTableRow[]>;
  at(currency: string, at: number): Promise<PriceTableRow | null>;
}

const spec: CollectionSpec = {
  name: 'official_prices',
  indexes: [
    { name: 'by_date', keys: { effective_from: -1 } },
    { name: 'of_currency', keys: { currency: 1, effective_from: -1 } },
  ],
};

export function officialPricesIn(store: Store): OfficialPrices {
  const tables: Collection<PriceTableRow> = store.collection<PriceTableRow>(spec);
  return {
    async put({ currency, effective_from, rows }) {
      const _id = `${currency}:${effective_from}`;
      await tables.updateOne({ _id }, { $set: { currency, effective_from, rows } }, { upsert: true });
    },
    list: (limit) => tables.find({}, { sort: { effective_from: -1 }, limit }).toArray(),
    async at(currency, at) {
      const filter = { currency, effective_from: { $lte: at } };
      const [table] = await tables.find(filter, { sort: { effective_from: -1 }, limit: 1 }).toArray();
      return table ?? null;
    },
  };
}
