import { hash } from 'node:crypto';
import { decodeTime, encodeTime } from 'ulid';

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const REST_LENGTH = 16;
const PLACE_LENGTH = 2;

/**
 * The id of what `cause` makes at the moment `at` (epoch ms): the same ULID however often it is made. Those of one moment sort by `place`, up to
 * 1,023; absent: by chance.
 */
export function derivedId(cause: string, at: number, place?: number): string {
  const digest = hash('sha256', cause, 'buffer').subarray(0, REST_LENGTH);
  const rest = Array.from(digest, (byte) => LETTERS[byte % LETTERS.length]).join('');
  return encodeTime(at, TIME_LENGTH) + (place === undefined ? rest : encodeTime(place, PLACE_LENGTH) + rest.slice(PLACE_LENGTH));
}

/** No ULID of `at` (epoch ms) or later sorts before it, none of an earlier moment behind it. */
export const idFloor = (at: number): string => encodeTime(Math.min(Math.max(0, at), LAST_MOMENT)).padEnd(26, '0');

/** The moment that a ULID carries, epoch ms: never before the one it was made for. */
export const momentOfId = (id: string): number => decodeTime(id);

const LAST_MOMENT = 2 ** 48 - 1;
