import { hash, randomBytes } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';

/** The library asks for a random number per character; drawing them in blocks keeps the system call off the hot path. */
const POOL_BYTES = 4096;
let pool = randomBytes(POOL_BYTES);
let used = 0;

function draw(): number {
  if (used === POOL_BYTES) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  return pool.readUInt8(used++) / 256;
}

const next = monotonicFactory(draw);

/** A fresh ULID: sorts by `now` (epoch ms), and strictly ascending within this process while time does not go back. */
export const newId = (now: number): string => next(now);

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const REST_LENGTH = 16;

/** The id of what `cause` makes at the moment `at` (epoch ms): the same ULID however often it is made. */
export function derivedId(cause: string, at: number): string {
  const digest = hash('sha256', cause, 'buffer').subarray(0, REST_LENGTH);
  return encodeTime(at, TIME_LENGTH) + Array.from(digest, (byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** No ULID of `at` (epoch ms) or later sorts before it, none of an earlier moment behind it. */
export const idFloor = (at: number): string => encodeTime(Math.min(Math.max(0, at), LAST_MOMENT)).padEnd(26, '0');

/** The moment that a ULID carries, epoch ms: never before the one it was made for. */
export const momentOfId = (id: string): number => decodeTime(id);

const LAST_MOMENT = 2 ** 48 - 1;
