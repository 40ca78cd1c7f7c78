import { randomBytes } from 'node:crypto';
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

let next = monotonicFactory(draw);

/** A fresh ULID: sorts by `now` (epoch ms), and strictly ascending within this process while time does not go back. */
export const newId = (now: number): string => next(now);

const TIME_LENGTH = 10;

/** The time in a ULID, epoch ms. */
export const timeOfId = (id: string): number => decodeTime(id);

/** The first ten characters of ULIDs of this time. */
export const timePartOfId = (ms: number): string => encodeTime(ms, TIME_LENGTH);

/** Ids may be of earlier times again: for tests, several of whose clocks begin anew in one process. */
export function restartIds(): void {
  pool = randomBytes(POOL_BYTES);
  used = 0;
  next = monotonicFactory(draw);
}
