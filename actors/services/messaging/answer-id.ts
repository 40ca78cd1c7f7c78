import { hash } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const CHANCE_DIGITS = 14;

/**
 * The id of the one message of a `kind` that answers the message `id`: the same however often it is asked for, and a ULID of the same
 * moment that sorts behind it, so that an answer is never the older of the two.
 */
export function answerId(kind: string, id: string): string {
  const bytes = hash('sha256', `${kind}:${id}`, 'buffer').subarray(0, CHANCE_DIGITS);
  return `${id.slice(0, TIME_DIGITS)}ZZ${[...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
}
