/**
 * Extends the holder of a lease with a keyed hash over the lease key and the holder. Only nodes
 * with the same secret can create a valid holder, and it is valid for one lease key only. The hash
 * does not prove recency: of two holders, the one acquired later wins (`sealed.ts`).
 */

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { RecentCache } from '../recent-cache.ts';

const MAC_BYTES = 16;
const REMEMBERED = 20_000;

export class LeaseSeal {
  readonly #secret: Buffer;
  readonly #checked = new RecentCache<string, string>(REMEMBERED);

  constructor(secret: string) {
    this.#secret = Buffer.from(hkdfSync('sha256', secret, '', 'holders of leases', 32));
  }

  seal(key: string, holder: string): string {
    return `${holder}.${this.#markOf(key, holder).toString('base64url')}`;
  }

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
    // The length prefix makes the encoding of key and holder unambiguous.
    return createHmac('sha256', this.#secret).update(`${key.length} ${key} ${holder}`).digest().subarray(0, MAC_BYTES);
  }
}
