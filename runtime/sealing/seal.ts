import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomFillSync } from 'node:crypto';
import { RecentCache } from '../recent-cache.ts';
import { keyOf, type SecretKey, type SecretKeys } from './keys.ts';

/** Thrown if a secret was altered or its key is missing. Never treat this as an absent secret. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
  /** True if this node does not have the key. Another node may have it. */
  readonly isKeyMissing: boolean;

  constructor(message: string, { isKeyMissing = false, cause }: { readonly isKeyMissing?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.isKeyMissing = isKeyMissing;
  }
}

/** `open` returns a text unchanged if it was never sealed. */
export interface Sealer {
  /** Each `group` has its own key. The text can be opened only with the same `about`. */
  seal(group: string, about: string, text: string): string;
  open(group: string, about: string, text: string): string;
  keyedHash(group: string, text: string): string;
  /** Returns the hash key, sealed for storage, so that hashes stay the same when the sealing keys change. */
  sealHashKey(): string;
  useHashKey(sealed: string): void;
  isFresh(text: string): boolean;
}

/** Prefix of sealed texts. JSON never begins with it. */
const MARK = 'gcm.';
export const isSealed = (text: string): boolean => text.startsWith(MARK);

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** IVs are generated in blocks, because the overhead of a call exceeds the cost of the bytes. */
const IVS_AT_ONCE = 256;
const REMEMBERED_GROUPS = 5_000;
const HASH_KEY = 'key of hashes';

/** Seals with AES-256-GCM. Each group has its own key, so random IVs practically never collide. */
export function createSealer(keys: SecretKeys): Sealer {
  const [current] = keys;
  const known = new RecentCache<string, KeyObject>(REMEMBERED_GROUPS);
  const start = `${MARK}${current.id}.`;
  let hashKey: SecretKey = keys.at(-1) ?? current;

  // Using a KeyObject avoids two internal exceptions in Node, and was three times faster when measured.
  function keyFor({ id, bytes }: SecretKey, group: string): KeyObject {
    const name = `${id} ${group}`;
    const made = known.get(name) ?? createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', group, 32)));
    known.set(name, made);
    return made;
  }

  let ivs = Buffer.alloc(0);
  let used = 0;

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
