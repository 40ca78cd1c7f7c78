import { randomBytes } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';

/** Random bytes are drawn in blocks to avoid system calls on the hot path. */
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

/** Returns a ULID for `now` (epoch ms). ULIDs ascend within this process while time does not go back. */
export const newId = (now: number): string => next(now);

const TIME_LENGTH = 10;

/** Returns the time in a ULID, in epoch ms. */
export const timeOfId = (id: string): number => decodeTime(id);

/** Returns the first ten characters of ULIDs for this time (epoch ms). */
export const timePartOfId = (ms: number): string => encodeTime(ms, TIME_LENGTH);

/** Allows ids for earlier times again. For tests whose clocks restart within one process. */
export function restartIds(): void {
  pool = randomBytes(POOL_BYTES);
  used = 0;
  next = monotonicFactory(draw);
}
