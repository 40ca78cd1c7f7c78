import { language } from '../state/preferences.ts';

/** Decimal places of amounts in minor units: rupiah are counted whole, dollars in cents. */
const DIGITS = { IDR: 0, USD: 2 } as const;

export type Currency = keyof typeof DIGITS;

/** Formats a price in a currency's main unit. Prices of single messages have up to four decimal places. */
export const priceText = (amount: number, currency: string): string =>
  new Intl.NumberFormat(language.value, { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount);

/** Formats an amount in minor units in the current language. */
export function moneyText(amount: number, currency: Currency): string {
  const digits = DIGITS[currency];
  const style = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(language.value, style).format(amount / 10 ** digits);
}
