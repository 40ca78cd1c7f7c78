import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

/**
 * The vendor platform's prices: one table per currency and date, which applies until the
 * currency's next table. Amounts are in the main unit, for one message.
 */
export interface PriceTableRow extends Doc {
  /** `<currency>:<effective_from>`. */
  readonly _id: string;
  readonly currency: string;
  /** Epoch ms. */
  readonly effective_from: number;
  readonly rows: readonly Price[];
}

export interface Price {
  /** ISO code of the recipient's country. */
  readonly country: string;
  /** The vendor's category in lower case, such as `marketing`. */
  readonly category: string;
  readonly amount: number;
}

export interface OfficialPrices {
  put(table: Omit<PriceTableRow, '_id'>): Promise<void>;
  list(limit: number): Promise<readonly PriceTableRow[]>;
  /** Returns the currency's table that applies at `at`, epoch ms; null if no table applies. */
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
