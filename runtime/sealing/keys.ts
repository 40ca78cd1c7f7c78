import { createHash, hkdfSync } from 'node:crypto';

export interface SecretKey {
  /** Identifies the key with which a secret was sealed, without revealing the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The first key seals; every key can open. The last key is the hash key for a store without a stored one. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]];

const ID_CHARACTERS = 8;

/**
 * Returns the keys. `current` and `before` (hex, 32 bytes each) come from the configuration. With
 * `current` null, a key derived from `jwtSecret` seals. The derived key always stays in the list,
 * last, so that it can open older secrets.
 */
export function secretKeysOf(current: string | null, before: readonly string[], jwtSecret: string): SecretKeys {
  const made = keyOf(Buffer.from(hkdfSync('sha256', jwtSecret, '', 'secrets of devices', 32)));
  const older = before.map((hex) => keyOf(Buffer.from(hex, 'hex')));
  return current === null ? [made, ...older, made] : [keyOf(Buffer.from(current, 'hex')), ...older, made];
}

export function keyOf(bytes: Buffer): SecretKey {
  return { id: createHash('sha256').update('id of ').update(bytes).digest('hex').slice(0, ID_CHARACTERS), bytes };
}
