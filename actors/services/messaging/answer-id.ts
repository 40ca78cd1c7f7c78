import { hash } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const CHANCE_DIGITS = 14;

/**
 * Returns the ID of the only reply of this `kind` to the message `id`. Deterministic, so a repeated
 * call gives the same ID. The ID is a ULID with the same timestamp that sorts after `id`, so a
 * reply never sorts before its message.
 */
export function answerId(kind: string, id: string): string {
  const bytes = hash('sha256', `${kind}:${id}`, 'buffer').subarray(0, CHANCE_DIGITS);
  return `${id.slice(0, TIME_DIGITS)}ZZ${[...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
}
