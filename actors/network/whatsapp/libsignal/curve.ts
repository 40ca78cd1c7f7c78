import {
  calculateAgreement as agreementInRust,
  type KeyPair,
  generateKeyPair as keyPairInRust,
  calculateSignature as signatureInRust,
  verifySignature as verifiedInRust,
} from 'whatsapp-rust-bridge';

const TYPED_KEY_LENGTH = 33;
const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const DJB_TYPE = 5;

/** The public key is 33 bytes long. The first byte is its type (5). */
export function generateKeyPair(): KeyPair {
  return keyPairInRust();
}

/** Throws if a key is invalid or has the same result with every other key (RFC 7748, 6.1). */
export function calculateAgreement(publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array {
  assertPublic(publicKey);
  assertPrivate(privateKey);
  const shared = agreementInRust(publicKey, privateKey);
  if (shared.every((byte) => byte === 0)) throw new Error('the public key yields no shared secret');
  return shared;
}

/** Returns a signature of 64 bytes (XEdDSA), which differs with each call. */
export function calculateSignature(privateKey: Uint8Array, message: Uint8Array): Uint8Array {
  assertPrivate(privateKey);
  return signatureInRust(privateKey, message);
}

/** Throws if the signature is invalid, because the library ignores the results of its checks. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): true {
  assertPublic(publicKey);
  if (signature.length === SIGNATURE_LENGTH && verifiedInRust(publicKey, message, signature)) return true;
  throw new Error('the signature is not genuine');
}

function assertPublic(key: Uint8Array): void {
  if (key.length !== TYPED_KEY_LENGTH || key[0] !== DJB_TYPE) throw new Error('not a public key with its type');
}

function assertPrivate(key: Uint8Array): void {
  if (key.length !== KEY_LENGTH) throw new Error('not a private key');
}
