import { createHash, hkdfSync } from 'node:crypto';

/** The keys that seal the secrets of devices. */
export interface SecretKey {
  /** Tells which key a secret was sealed with, and nothing of the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The first seals; each opens what it sealed. Hashes of a store that keeps no key for them yet are made with the last. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]];

const ID_CHARACTERS = 8;

/** `current` and `before` (hex, 32 bytes each) come from the configuration; without them the key is made of `jwtSecret`, which goes on to open what it sealed and is last always, whatever else is named. */
export function secretKeysOf(current: string | null, before: readonly string[], jwtSecret: string): SecretKeys {
  const made = keyOf(Buffer.from(hkdfSync('sha256', jwtSecret, '', 'secrets of devices', 32)));
  const older = before.map((hex) => keyOf(Buffer.from(hex, 'hex')));
  return current === null ? [made, ...older, made] : [keyOf(Buffer.from(current, 'hex')), ...older, made];
}

export function keyOf(bytes: Buffer): SecretKey {
  return { id: createHash('sha256').update('id of ').update(bytes).digest('hex').slice(0, ID_CHARACTERS), bytes };
}
