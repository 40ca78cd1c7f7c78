import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** The library asks for a random number per character; drawing them in blocks keeps the system call off the hot path. */
let pool = randomBytes(4096);
let used = 0;

function draw(): number {
  if (used === pool.length) {
    pool = randomBytes(4096);
    used = 0;
  }
  return pool[used++]! / 256;
}

const next = monotonicFactory(draw);

/** A fresh ULID (spec.md part 2): sorts by `now` (epoch ms), and strictly ascending within this process while time does not go back. */
export const newId = (now: number): string => next(now);
