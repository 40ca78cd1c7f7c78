import type { CostFigures } from '../../../store/analytics/bucket-row.ts';

/** Adds up costs. Sums are rounded to six decimals, so that they remain readable. */

export type CostEntry = CostFigures;

/** A total is null if any of its prices is unknown. */
export function sumCosts<T extends CostEntry>(entries: readonly T[], key: (entry: T) => string): readonly T[] {
  const groups = Map.groupBy(entries, (one) => JSON.stringify([one.category, one.country, one.currency, key(one)]));
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [others.reduce(added, first)] : []));
}

function added<T extends CostEntry>(sum: T, one: T): T {
  const amount = sum.amount === null || one.amount === null ? null : rounded(sum.amount + one.amount);
  return { ...sum, billed: sum.billed + one.billed, free: sum.free + one.free, amount };
}

export const rounded = (amount: number): number => Math.round(amount * 1_000_000) / 1_000_000;
