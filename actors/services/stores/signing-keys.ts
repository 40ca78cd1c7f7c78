import { createSecretKey, type KeyObject } from 'node:crypto';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import { type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';

export type SigningKeys = (linkId: string, sealed: string) => KeyObject | null;

const REMEMBERED = 1_000;

export function createSigningKeys(sealer: Pick<Sealer, 'open'>): SigningKeys {
  const known = new RecentCache<string, KeyObject>(REMEMBERED);
  return (linkId, sealed) => {
    const name = `${linkId} ${sealed}`;
    const key = known.get(name) ?? openedKey(sealer, linkId, sealed);
    if (key !== null) known.set(name, key);
    return key;
  };
}

function openedKey(sealer: Pick<Sealer, 'open'>, linkId: string, sealed: string): KeyObject | null {
  try {
    return createSecretKey(Buffer.from(sealer.open(linkId, 'store secret', sealed), 'utf8'));
  } catch (cause) {
    if (cause instanceof SecretUnreadable) return null;
    throw cause;
  }
}
