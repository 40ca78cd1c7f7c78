import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

/** In place of the library's own `Utils/crypto.js`, for the one who seals its frames. */
export * from '@whiskeysockets/baileys/lib/Utils/crypto.js';

const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;
/** Node takes bytes for a key too, but only after two exceptions of its own, which are three quarters of the price of a frame. */
const keys = new WeakMap<Uint8Array, KeyObject>();

/** The tag follows the ciphertext. */
export function aesEncryptGCM(plain: Uint8Array, key: Uint8Array, iv: Uint8Array, about: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, keyOf(key), iv).setAAD(about);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when it was not sealed with this key, for this, or was changed. */
export function aesDecryptGCM(sealed: Uint8Array, key: Uint8Array, iv: Uint8Array, about: Uint8Array): Buffer {
  const end = sealed.length - TAG_BYTES;
  const cipher = createDecipheriv(CIPHER, keyOf(key), iv, { authTagLength: TAG_BYTES }).setAAD(about);
  cipher.setAuthTag(sealed.subarray(end));
  return Buffer.concat([cipher.update(sealed.subarray(0, end)), cipher.final()]);
}

function keyOf(bytes: Uint8Array): KeyObject {
  const known = keys.get(bytes) ?? createSecretKey(bytes);
  keys.set(bytes, known);
  return known;
}
