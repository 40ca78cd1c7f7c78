import type { Random } from '../../../runtime/random.ts';

/** A customer with a unique number. */
export interface Buyer {
  readonly nth: number;
  /** Digits with the country code. */
  readonly phone: string;
  /** The number as people in that country write it. */
  readonly local: string;
  readonly country: 'ID' | 'SG';
  readonly firstName: string;
  readonly lastName: string;
}

const FIRST = ['Sari', 'Budi', 'Ayu *', 'O’Neil', 'Nur\tHayati', 'Putri_'];
const LAST = ['Wulandari', 'Santoso', 'Lim', ''];

export function aBuyer(nth: number, random: Random): Buyer {
  const country = random() < 0.8 ? 'ID' : 'SG';
  const own = String(nth).padStart(6, '0');
  return {
    nth,
    country,
    phone: country === 'ID' ? `628123${own}` : `6591${own}`,
    local: country === 'ID' ? `0812-3${own.slice(0, 3)}-${own.slice(3)}` : `91${own.slice(0, 2)} ${own.slice(2)}`,
    firstName: pick(FIRST, random),
    lastName: pick(LAST, random),
  };
}

export const pick = <T>(of: readonly T[], random: Random): T => of[Math.floor(random() * of.length)]!;

/** Formats a time as ISO with an offset, as shops do. */
export const shopTime = (ms: number): string => new Date(ms + 7 * 3_600_000).toISOString().replace(/\.\d+Z$/, '+07:00');
