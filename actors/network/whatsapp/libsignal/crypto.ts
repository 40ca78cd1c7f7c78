import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, hkdfSync } from 'node:crypto';

const CIPHER = 'aes-256-cbc';
const HASH = 'sha256';
const SECRET_LENGTH = 32;
// Key objects are used because plain bytes, which Node also accepts, cost six times as much.

export function encrypt(key: Uint8Array, plain: Uint8Array, iv: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, createSecretKey(key), iv);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

export function decrypt(key: Uint8Array, sealed: Uint8Array, iv: Uint8Array): Buffer {
  const decipher = createDecipheriv(CIPHER, createSecretKey(key), iv);
  return Buffer.concat([decipher.update(sealed), decipher.final()]);
}

const BLOCK = 64;
const INNER = 0x36;
const OUTER = 0x5c;
/** Longer inputs do not fit in the shared buffers, which are used within one tick. */
const LONGEST = 4_096;
const inner = Buffer.alloc(BLOCK + LONGEST);
const outer = Buffer.alloc(BLOCK + SECRET_LENGTH);

/**
 * Computes an HMAC (RFC 2104) with one-shot hashes: a quarter of the cost of Node's HMAC for short
 * inputs. Hashes are taken as strings, because each buffer from Node costs more than its hash.
 */
export function calculateMAC(key: Uint8Array, data: Uint8Array): Buffer {
  if (key.length > BLOCK || data.length > LONGEST) return createHmac(HASH, createSecretKey(key)).update(data).digest();
  for (let at = 0; at < BLOCK; at += 1) {
    const byte = key[at] ?? 0;
    inner[at] = byte ^ INNER;
    outer[at] = byte ^ OUTER;
  }
  inner.set(data, BLOCK);
  outer.write(hash(HASH, inner.subarray(0, BLOCK + data.length), 'binary'), BLOCK, 'binary');
  return Buffer.from(hash(HASH, outer, 'binary'), 'binary');
}

export function deriveSecrets(input: Uint8Array, salt: Uint8Array, info: Uint8Array): [Buffer, Buffer] {
  const both = Buffer.from(hkdfSync(HASH, createSecretKey(input), salt, info, 2 * SECRET_LENGTH));
  return [both.subarray(0, SECRET_LENGTH), both.subarray(SECRET_LENGTH)];
}

const NO_SALT = new Uint8Array(0);
const FIRST = Uint8Array.of(1);

export const deriveSecret = (input: Uint8Array, info: Uint8Array): Buffer =>
  calculateMAC(calculateMAC(NO_SALT, input), Buffer.concat([info, FIRST]));
