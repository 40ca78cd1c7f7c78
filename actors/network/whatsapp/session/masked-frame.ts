import { randomFillSync } from 'node:crypto';

const FINAL_BINARY = 0x82;
const IS_MASKED = 0x80;
const MAX_SHORT = 125;
const IN_TWO_BYTES = 126;
const IN_EIGHT_BYTES = 127;
const MAX_IN_TWO_BYTES = 0xffff;
const KEY_BYTES = 4;

const pool = Buffer.alloc(4_096);
let unused = pool.length;

/** Builds a masked frame (RFC 6455, sections 5.2 and 5.3). */
export function maskedFrame(payload: Uint8Array): Buffer {
  const { length } = payload;
  const sizeBytes = length <= MAX_SHORT ? 0 : length <= MAX_IN_TWO_BYTES ? 2 : 8;
  const start = 2 + sizeBytes + KEY_BYTES;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = FINAL_BINARY;
  frame[1] = IS_MASKED | (sizeBytes === 0 ? length : sizeBytes === 2 ? IN_TWO_BYTES : IN_EIGHT_BYTES);
  if (sizeBytes === 2) frame.writeUInt16BE(length, 2);
  else if (sizeBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const key = newKey();
  frame.set(key, start - KEY_BYTES);
  for (let nth = 0; nth < length; nth += 1) frame[start + nth] = (payload[nth] ?? 0) ^ (key[nth & 3] ?? 0);
  return frame;
}

/** Returns a key that is valid until the next call. */
function newKey(): Uint8Array {
  if (unused === pool.length) {
    randomFillSync(pool);
    unused = 0;
  }
  unused += KEY_BYTES;
  return pool.subarray(unused - KEY_BYTES, unused);
}
