import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { calculateSignature, verifySignature } from 'whatsapp-rust-bridge';
import type { SeededRandom } from './random.ts';

/** X25519 keys, 32 bytes each. */
export interface KeyPair {
  readonly public: Buffer;
  readonly private: Buffer;
}

const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const SPKI = Buffer.from('302a300506032b656e032100', 'hex');
const DJB_TYPE = Buffer.from([5]);

const privateKey = (bytes: Uint8Array) => createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: 'der', type: 'pkcs8' });
const publicKey = (bytes: Uint8Array) => createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' });

export function makeKeyPair(random: SeededRandom): KeyPair {
  const secret = random.bytes(32);
  secret[0] = secret[0]! & 248;
  secret[31] = (secret[31]! & 127) | 64;
  const shared = createPublicKey(privateKey(secret)).export({ format: 'der', type: 'spki' });
  return { private: secret, public: shared.subarray(-32) };
}

export const agree = (own: Uint8Array, theirs: Uint8Array): Buffer =>
  diffieHellman({ privateKey: privateKey(own), publicKey: publicKey(theirs) });

/** Signs with XEdDSA. */
export const sign = (own: Uint8Array, message: Uint8Array): Buffer => Buffer.from(calculateSignature(own, message));

export const verifies = (theirs: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  signature.length === 64 && verifySignature(typed(theirs), message, signature);

/** Returns a public key with the type byte that Signal stores in front of it. */
export const typed = (key: Uint8Array): Buffer => (key.length === 33 ? Buffer.from(key) : Buffer.concat([DJB_TYPE, key]));
