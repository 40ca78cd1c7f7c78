import { randomBytes } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';

/** Random bytes are generated in blocks to avoid system calls on the hot path. */
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

export const newId = (now: number): string => next(now);

const TIME_LENGTH = 10;

export const timeOfId = (id: string): number => decodeTime(id);

export const timePartOfId = (ms: number): string => encodeTime(ms, TIME_LENGTH);

/** Call this in tests whose clocks start again within one process. */
export function restartIds(): void {
  pool = randomBytes(POOL_BYTES);
  used = 0;
  next = monotonicFactory(draw);
}
