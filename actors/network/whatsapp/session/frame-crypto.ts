import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

/** Replaces the library's `Utils/crypto.js` for the module that encrypts its frames. */
export * from '@whiskeysockets/baileys/lib/Utils/crypto.js';

const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;
/** Caches key objects, because Node throws two internal exceptions for each key given as bytes. */
const keys = new WeakMap<Uint8Array, KeyObject>();

export function aesEncryptGCM(plain: Uint8Array, key: Uint8Array, iv: Uint8Array, about: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, keyOf(key), iv).setAAD(about);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

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
