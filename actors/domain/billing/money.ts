import type { BillingCurrency } from '../../../store/billing/invoices.ts';

/** Money is an integer in the minor unit of its currency. */

export function amountIn(value: unknown): number | null {
  const amount = typeof value === 'string' && /^\d{1,15}(\.0{1,2})?$/.test(value) ? Number(value) : value;
  return typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0 ? amount : null;
}

const UNITS_PER_PRICE = 1_000;

export const CURRENCIES = ['IDR', 'USD'] as const satisfies readonly BillingCurrency[];

export const otherThan = (currency: BillingCurrency): BillingCurrency => (currency === 'IDR' ? 'USD' : 'IDR');

/** Smallest amount that providers accept, in minor units. */
const SMALLEST: Readonly<Record<BillingCurrency, number>> = { IDR: 1_000, USD: 50 };

export const isPayable = (amount: number, currency: BillingCurrency): boolean => amount >= SMALLEST[currency];

/** Returns the credit to use. The remaining amount is 0 or large enough for the payment providers. */
export function usable(credit: number, amount: number, currency: BillingCurrency): number {
  if (credit >= amount) return amount;
  return Math.max(0, Math.min(credit, amount - SMALLEST[currency]));
}

export const rounded = (numerator: number, denominator: number): number => Math.floor((2 * numerator + denominator) / (2 * denominator));

export const overagePrice = (messages: number, price: number): number => Math.ceil((messages * price) / UNITS_PER_PRICE);

export function written(amount: number, currency: BillingCurrency): string {
  const sign = amount < 0 ? '-' : '';
  const [whole, cents] = currency === 'IDR' ? [Math.abs(amount), null] : [Math.floor(Math.abs(amount) / 100), Math.abs(amount) % 100];
  const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, currency === 'IDR' ? '.' : ',');
  return cents === null ? `${sign}Rp ${grouped}` : `${sign}US$ ${grouped}.${String(cents).padStart(2, '0')}`;
}
