import { hash } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const CHANCE_DIGITS = 14;

/** Derives a ULID from `id`, with the same timestamp. It sorts after `id`. */
export function answerId(kind: string, id: string): string {
  const bytes = hash('sha256', `${kind}:${id}`, 'buffer').subarray(0, CHANCE_DIGITS);
  return `${id.slice(0, TIME_DIGITS)}ZZ${[...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
}
