import { language } from '../state/preferences.ts';

/** Digits after the point of an amount in minor units: the gateway counts rupiah whole and dollars in cents. */
const DIGITS = { IDR: 0, USD: 2 } as const;

export type Currency = keyof typeof DIGITS;

/** An amount in minor units, as the language chosen now writes it. */
export function moneyText(amount: number, currency: Currency): string {
  const digits = DIGITS[currency];
  const style = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(language.value, style).format(amount / 10 ** digits);
}
