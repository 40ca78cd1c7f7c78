import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { RecentCache } from '../recent-cache.ts';

const MAC_BYTES = 16;
const REMEMBERED = 20_000;

/**
 * Marks the holder of a lease with a keyed hash over the lease's key and the holder, so that only nodes with the same secret can name one,
 * and none that was written for another lease counts. The mark says nothing of age: of two holders the later taking counts (`sealed.ts`).
 */
export class LeaseSeal {
  readonly #secret: Buffer;
  /** The key of each marked holder that was checked lately: the leases of all actors are read again and again. */
  readonly #checked = new RecentCache<string, string>(REMEMBERED);

  constructor(secret: string) {
    this.#secret = Buffer.from(hkdfSync('sha256', secret, '', 'holders of leases', 32));
  }

  seal(key: string, holder: string): string {
    return `${holder}.${this.#markOf(key, holder).toString('base64url')}`;
  }

  /** The holder; null: no node with our secret wrote it for this key. */
  open(key: string, sealed: string): string | null {
    const end = sealed.lastIndexOf('.');
    if (end === -1) return null;
    const holder = sealed.slice(0, end);
    if (this.#checked.get(sealed) === key) return holder;
    const mark = Buffer.from(sealed.slice(end + 1), 'base64url');
    if (mark.length !== MAC_BYTES || !timingSafeEqual(mark, this.#markOf(key, holder))) return null;
    this.#checked.set(sealed, key);
    return holder;
  }

  #markOf(key: string, holder: string): Buffer {
    // Lengths first, so that no two pairs make the same text.
    return createHmac('sha256', this.#secret).update(`${key.length} ${key} ${holder}`).digest().subarray(0, MAC_BYTES);
  }
}
