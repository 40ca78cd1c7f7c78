/**
 * Encrypts and authenticates everything that nodes send through the coordination service. Only
 * nodes with the same secret can read or write messages. A sealed message opens only for the
 * channel or key for which it was sealed (`about`), and only within one minute (by the nodes'
 * clocks).
 */

import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { RecentCache } from '../recent-cache.ts';

/** Allows for the difference between two nodes' clocks and the time in transit. */
const MAX_AGE_MS = 60_000;
const MARK = 's1';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SENDER_BYTES = 16;
const SENDER_ID = /^[\w-]{22}$/;
const NUMBER = /^\d{1,16}$/;
/** Limit in characters: 1 MiB of three-byte characters in base64, plus the header. */
const MAX_TEXT = 2 ** 22 + 200;
const REMEMBERED = 20_000;

export interface Opened {
  readonly text: string;
  readonly sender: string;
  readonly n: number;
}

export class BusSeal {
  readonly #secret: string;
  readonly #clock: Clock;
  readonly #sender = randomBytes(SENDER_BYTES).toString('base64url');
  readonly #key: KeyObject;
  readonly #keys = new RecentCache<string, KeyObject>(1_000);
  readonly #lastNumbers = new RecentCache<string, number>(REMEMBERED);
  #sealed = 0;

  constructor(secret: string, clock: Clock) {
    this.#secret = secret;
    this.#clock = clock;
    this.#key = this.#derive(this.#sender);
  }

  /** Each process has a new key, so a simple counter never repeats an IV under the same key. */
  seal(about: string, text: string): string {
    this.#sealed += 1;
    const head = `${MARK}.${this.#sender}.${this.#sealed}.${this.#clock.now()}`;
    const cipher = createCipheriv('aes-256-gcm', this.#key, ivOf(this.#sealed)).setAAD(Buffer.from(`${head} ${about}`));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${head}.${body.toString('base64url')}`;
  }

  /** Null if the message is forged, altered, over a minute old, or sealed for another `about`. */
  open(about: string, sealed: unknown): Opened | null {
    if (typeof sealed !== 'string' || sealed.length > MAX_TEXT) return null;
    const [mark, sender = '', number = '', at = '', body = ''] = sealed.split('.', 5);
    if (mark !== MARK || !SENDER_ID.test(sender) || !NUMBER.test(number) || !NUMBER.test(at)) return null;
    if (Math.abs(this.#clock.now() - Number(at)) > MAX_AGE_MS) return null;
    const text = this.#decrypted(sender, Number(number), `${mark}.${sender}.${number}.${at} ${about}`, Buffer.from(body, 'base64url'));
    return text === null ? null : { text, sender, n: Number(number) };
  }

  /**
   * Also returns null for a repeated message. Senders number their messages in ascending order, and
   * Redis preserves the order.
   */
  openOnce(about: string, sealed: unknown): string | null {
    return this.#openFrom(about, sealed, 1);
  }

  openLatest(about: string, sealed: unknown): string | null {
    return this.#openFrom(about, sealed, 0);
  }

  #openFrom(about: string, sealed: unknown, above: 0 | 1): string | null {
    const opened = this.open(about, sealed);
    if (opened === null) return null;
    const { sender, n, text } = opened;
    const place = `${sender} ${about}`;
    if (n < (this.#lastNumbers.get(place) ?? 0) + above) return null;
    this.#lastNumbers.set(place, n);
    return text;
  }

  #decrypted(sender: string, n: number, aad: string, bytes: Buffer): string | null {
    if (bytes.length < TAG_BYTES) return null;
    const key = this.#keys.get(sender) ?? this.#derive(sender);
    try {
      const cipher = createDecipheriv('aes-256-gcm', key, ivOf(n), { authTagLength: TAG_BYTES }).setAAD(Buffer.from(aad));
      cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = Buffer.concat([cipher.update(bytes.subarray(0, -TAG_BYTES)), cipher.final()]).toString();
      this.#keys.set(sender, key);
      return text;
    } catch {
      return null;
    }
  }

  #derive(sender: string): KeyObject {
    return createSecretKey(Buffer.from(hkdfSync('sha256', this.#secret, sender, 'bus between nodes', 32)));
  }
}

function ivOf(n: number): Buffer {
  const iv = Buffer.alloc(IV_BYTES);
  iv.writeBigUInt64BE(BigInt(n), IV_BYTES - 8);
  return iv;
}
