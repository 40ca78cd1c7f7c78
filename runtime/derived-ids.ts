import { hash } from 'node:crypto';
import { decodeTime, encodeTime } from 'ulid';

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const REST_LENGTH = 16;
const PLACE_LENGTH = 2;

/** The same arguments always give the same id. Ids with the same time sort by `place` (0 to 1,023). */
export function derivedId(cause: string, at: number, place?: number): string {
  const digest = hash('sha256', cause, 'buffer').subarray(0, REST_LENGTH);
  const rest = Array.from(digest, (byte) => LETTERS[byte % LETTERS.length]).join('');
  return encodeTime(at, TIME_LENGTH) + (place === undefined ? rest : encodeTime(place, PLACE_LENGTH) + rest.slice(PLACE_LENGTH));
}

export const idFloor = (at: number): string => encodeTime(Math.min(Math.max(0, at), LAST_MOMENT)).padEnd(26, '0');

/** Returns a ULID's time, which is never earlier than the time for which it was created. */
export const momentOfId = (id: string): number => decodeTime(id);

const LAST_MOMENT = 2 ** 48 - 1;
