import type { BillingCurrency } from '../../../store/billing/invoices.ts';

/** Money is an integer in minor units of its currency. */

const UNITS_PER_PRICE = 1_000;

export const otherThan = (currency: BillingCurrency): BillingCurrency => (currency === 'IDR' ? 'USD' : 'IDR');

/** Half up, for amounts from 0. */
export const rounded = (numerator: number, denominator: number): number => Math.floor((2 * numerator + denominator) / (2 * denominator));

/** What `messages` beyond the quota cost at `price` a thousand: rounded up, once. */
export const overagePrice = (messages: number, price: number): number => Math.ceil((messages * price) / UNITS_PER_PRICE);

/** As people write it: `Rp 149.000`, `US$ 9.00`. */
export function written(amount: number, currency: BillingCurrency): string {
  const sign = amount < 0 ? '-' : '';
  const [whole, cents] = currency === 'IDR' ? [Math.abs(amount), null] : [Math.floor(Math.abs(amount) / 100), Math.abs(amount) % 100];
  const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, currency === 'IDR' ? '.' : ',');
  return cents === null ? `${sign}Rp ${grouped}` : `${sign}US$ ${grouped}.${String(cents).padStart(2, '0')}`;
}
