import { language } from '../state/preferences.ts';

/**
 * Number of digits after the decimal point. Amounts in rupiah are whole, but amounts in dollars
 * have cents.
 */
const DIGITS = { IDR: 0, USD: 2 } as const;

export type Currency = keyof typeof DIGITS;

/** `amount` is in the main unit. A single message's price has up to four decimal places. */
export const priceText = (amount: number, currency: string): string =>
  new Intl.NumberFormat(language.value, { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount);

export function moneyText(amount: number, currency: Currency): string {
  const digits = DIGITS[currency];
  const style = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(language.value, style).format(amount / 10 ** digits);
}
