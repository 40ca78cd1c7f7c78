import type { OfficialPrices, PriceTableRow } from '../../../store/billing/official-prices.ts';

export interface PriceBook {
  priceOf(of: Priced, at: number): Promise<number | null>;
}

export interface Priced {
  readonly currency: string | null | undefined;
  readonly country: string | null;
  readonly category: string;
}

const REMEMBERED_MS = 60_000;
const AS_MUCH_AS: ReadonlyMap<string, string> = new Map([
  ['service', 'utility'],
  ['marketing_lite', 'marketing'],
  ['authentication_international', 'authentication'],
]);

export function createPriceBook(prices: Pick<OfficialPrices, 'at'>, now: () => number): PriceBook {
  const known = new Map<string, { readonly table: PriceTableRow | null; readonly readAt: number; readonly at: number }>();

  async function tableOf(currency: string, at: number): Promise<PriceTableRow | null> {
    const found = known.get(currency);
    const isFresh = found && Math.abs(now() - found.readAt) < REMEMBERED_MS && Math.abs(at - found.at) < REMEMBERED_MS;
    if (isFresh) return found.table;
    const table = await prices.at(currency, at);
    known.set(currency, { table, readAt: now(), at });
    return table;
  }

  return {
    async priceOf({ currency, country, category }, at) {
      if (!currency || country === null) return null;
      const rows = (await tableOf(currency, at))?.rows ?? [];
      const amountOf = (wanted: string): number | undefined =>
        rows.find((row) => row.country === country && row.category === wanted)?.amount;
      return amountOf(category) ?? amountOf(AS_MUCH_AS.get(category) ?? category) ?? null;
    },
  };
}
