import { createHash, hkdfSync } from 'node:crypto';

export interface SecretKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** The first key seals, and every key can open. The last one is the default hash key. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]];

const ID_CHARACTERS = 8;

/** The key derived from `jwtSecret` always stays last, so that it can open older secrets. */
export function secretKeysOf(current: string | null, before: readonly string[], jwtSecret: string): SecretKeys {
  const made = keyOf(Buffer.from(hkdfSync('sha256', jwtSecret, '', 'secrets of devices', 32)));
  const older = before.map((hex) => keyOf(Buffer.from(hex, 'hex')));
  return current === null ? [made, ...older, made] : [keyOf(Buffer.from(current, 'hex')), ...older, made];
}

export function keyOf(bytes: Buffer): SecretKey {
  return { id: createHash('sha256').update('id of ').update(bytes).digest('hex').slice(0, ID_CHARACTERS), bytes };
}
