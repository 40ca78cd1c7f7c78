import type { Random } from '../../../runtime/random.ts';

/** Somebody who buys, with a number that nobody else has. */
export interface Buyer {
  readonly nth: number;
  /** Digits with the country code. */
  readonly phone: string;
  /** As people of that country type it. */
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

/** ISO with an offset, as shops write their own time. */
export const shopTime = (ms: number): string => new Date(ms + 7 * 3_600_000).toISOString().replace(/\.\d+Z$/, '+07:00');
