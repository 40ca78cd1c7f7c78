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

/** An X25519 key pair: the public key has 33 bytes, the first of which is its type (5), the private one 32. */
export function generateKeyPair(): KeyPair {
  return keyPairInRust();
}

/** The 32 bytes that X25519 agrees on. Throws when the keys are none, or when theirs would make it the same with anybody (RFC 7748, 6.1). */
export function calculateAgreement(publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array {
  assertPublic(publicKey);
  assertPrivate(privateKey);
  const shared = agreementInRust(publicKey, privateKey);
  if (shared.every((byte) => byte === 0)) throw new Error('a public key that agrees with nobody');
  return shared;
}

/** The 64 bytes of an XEdDSA signature; another one each time. */
export function calculateSignature(privateKey: Uint8Array, message: Uint8Array): Uint8Array {
  assertPrivate(privateKey);
  return signatureInRust(privateKey, message);
}

/**
 * Throws unless this is an XEdDSA signature of the message by this key: the client library's check of certificates does not look at what it is
 * answered.
 */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): true {
  assertPublic(publicKey);
  if (signature.length === SIGNATURE_LENGTH && verifiedInRust(publicKey, message, signature)) return true;
  throw new Error('a signature that is not genuine');
}

function assertPublic(key: Uint8Array): void {
  if (key.length !== TYPED_KEY_LENGTH || key[0] !== DJB_TYPE) throw new Error('not a public key with its type');
}

function assertPrivate(key: Uint8Array): void {
  if (key.length !== KEY_LENGTH) throw new Error('not a private key');
}
