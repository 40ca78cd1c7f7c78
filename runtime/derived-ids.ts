import { hash } from 'node:crypto';
import { decodeTime, encodeTime } from 'ulid';

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const REST_LENGTH = 16;
const PLACE_LENGTH = 2;

/**
 * Returns a ULID for a record that `cause` creates at `at` (epoch ms). The same arguments always
 * give the same id. Ids of the same moment sort by `place` (0 to 1,023); without it, their order is
 * arbitrary.
 */
export function derivedId(cause: string, at: number, place?: number): string {
  const digest = hash('sha256', cause, 'buffer').subarray(0, REST_LENGTH);
  const rest = Array.from(digest, (byte) => LETTERS[byte % LETTERS.length]).join('');
  return encodeTime(at, TIME_LENGTH) + (place === undefined ? rest : encodeTime(place, PLACE_LENGTH) + rest.slice(PLACE_LENGTH));
}

/** Returns a lower bound for ULIDs of `at` (epoch ms) or later. */
export const idFloor = (at: number): string => encodeTime(Math.min(Math.max(0, at), LAST_MOMENT)).padEnd(26, '0');

/** Returns the time in a ULID, in epoch ms; never earlier than the time for which the ULID was created. */
export const momentOfId = (id: string): number => decodeTime(id);

const LAST_MOMENT = 2 ** 48 - 1;
