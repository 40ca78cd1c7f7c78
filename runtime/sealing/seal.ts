import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomFillSync } from 'node:crypto';
import { RecentCache } from '../recent-cache.ts';
import { keyOf, type SecretKey, type SecretKeys } from './keys.ts';

/** A secret is there, but was sealed with a key that we do not have, or was changed: never the same as "there is none". */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
  /** Another node may have the key; otherwise nobody can open it. */
  readonly isKeyMissing: boolean;

  constructor(message: string, { isKeyMissing = false, cause }: { readonly isKeyMissing?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.isKeyMissing = isKeyMissing;
  }
}

/** Seals texts for their owner, and opens them. A text that was never sealed is returned unchanged, so that it is sealed when it changes. */
export interface Sealer {
  /** `group`: has a key of its own, made of ours. `about`: what it is; it opens as nothing else. */
  seal(group: string, about: string, text: string): string;
  /** Throws SecretUnreadable. */
  open(group: string, about: string, text: string): string;
  /** The same text in the same group always gives the same hash, which reveals nothing without our hash key. */
  keyedHash(group: string, text: string): string;
  /** The key of the hashes, sealed: kept with them, so that they stay the same whatever becomes of the keys that seal. */
  sealHashKey(): string;
  /** From now on hashes are made with what was sealed so. Throws SecretUnreadable. */
  useHashKey(sealed: string): void;
  /** Sealed, and with the key that seals now. */
  isFresh(text: string): boolean;
}

/** No JSON begins like this. */
const MARK = 'gcm.';
/** Was it sealed, with whichever key? */
export const isSealed = (text: string): boolean => text.startsWith(MARK);

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Random bytes are asked for in bulk: the asking costs more than the bytes. */
const IVS_AT_ONCE = 256;
const REMEMBERED_GROUPS = 5_000;
const HASH_KEY = 'key of hashes';

/** AES-256-GCM, with a key for each group: so many random IVs as one device ever needs do not meet. */
export function createSealer(keys: SecretKeys): Sealer {
  const [current] = keys;
  const known = new RecentCache<string, KeyObject>(REMEMBERED_GROUPS);
  const start = `${MARK}${current.id}.`;
  let hashKey: SecretKey = keys.at(-1) ?? current;

  // Node takes bytes for a key too, but only after two exceptions of its own: three times the price of a small secret (measured).
  function keyFor({ id, bytes }: SecretKey, group: string): KeyObject {
    const name = `${id} ${group}`;
    const made = known.get(name) ?? createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', group, 32)));
    known.set(name, made);
    return made;
  }

  let ivs = Buffer.alloc(0);
  let used = 0;

  /** Each is given once. */
  function nextIv(): Buffer {
    if (used === ivs.length) {
      ivs = randomFillSync(Buffer.alloc(IV_BYTES * IVS_AT_ONCE));
      used = 0;
    }
    used += IV_BYTES;
    return ivs.subarray(used - IV_BYTES, used);
  }

  const sealer: Sealer = {
    keyedHash: (group, text) => createHmac('sha256', keyFor(hashKey, group)).update(text).digest('base64url'),
    sealHashKey: () => sealer.seal(HASH_KEY, HASH_KEY, hashKey.bytes.toString('hex')),
    useHashKey(sealed) {
      hashKey = keyOf(Buffer.from(sealer.open(HASH_KEY, HASH_KEY, sealed), 'hex'));
    },
    isFresh: (text) => text.startsWith(start),

    seal(group, about, text) {
      const iv = nextIv();
      const cipher = createCipheriv('aes-256-gcm', keyFor(current, group), iv).setAAD(Buffer.from(about));
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return start + sealed.toString('base64');
    },

    open(group, about, text) {
      if (!text.startsWith(MARK)) return text;
      const [, id, body = ''] = text.split('.', 3);
      const key = keys.find((one) => one.id === id);
      if (!key)
        throw new SecretUnreadable(`a secret of a device was sealed with key ${id}, which this node does not have`, { isKeyMissing: true });
      const sealed = Buffer.from(body, 'base64');
      try {
        const iv = sealed.subarray(0, IV_BYTES);
        const cipher = createDecipheriv('aes-256-gcm', keyFor(key, group), iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(about));
        cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        return Buffer.concat([cipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), cipher.final()]).toString();
      } catch (cause) {
        throw new SecretUnreadable('a secret of a device was changed where it is kept', { cause });
      }
    },
  };
  return sealer;
}
