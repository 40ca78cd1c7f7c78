import { createDecipheriv, createHash, createHmac, type Decipheriv, type Hash, type Hmac } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { Refusal } from '../../../../runtime/errors.ts';

export interface FileKeys {
  readonly iv: Uint8Array;
  readonly cipherKey: Uint8Array;
  readonly macKey: Uint8Array;
}

const MAC_BYTES = 10;

/** Fails if the MAC or the hash of the encrypted bytes differs. The hash is hex; '' if unknown. */
export class VerifiedFile extends Transform {
  readonly #mac: Hmac;
  readonly #cipher: Decipheriv;
  readonly #hash: Hash = createHash('sha256');
  readonly #sha256: string;
  #tail: Buffer = Buffer.alloc(0);

  constructor({ iv, cipherKey, macKey }: FileKeys, sha256: string) {
    super();
    this.#mac = createHmac('sha256', macKey).update(iv);
    this.#cipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
    this.#sha256 = sha256;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const all = this.#tail.length > 0 ? Buffer.concat([this.#tail, chunk]) : chunk;
    const end = Math.max(0, all.length - MAC_BYTES);
    this.#tail = Buffer.from(all.subarray(end));
    const body = all.subarray(0, end);
    this.#mac.update(body);
    this.#plain(this.#cipher.update(body));
    done();
  }

  override _flush(done: TransformCallback): void {
    try {
      if (!this.#mac.digest().subarray(0, MAC_BYTES).equals(this.#tail)) return done(changed());
      this.#plain(this.#cipher.final());
      if (this.#sha256 !== '' && this.#hash.digest('hex') !== this.#sha256) return done(changed());
      done();
    } catch (cause) {
      done(changed(cause));
    }
  }

  #plain(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#hash.update(bytes);
    this.push(bytes);
  }
}

const changed = (cause?: unknown): Refusal => new Refusal('UNSUPPORTED_MEDIA_TYPE', { reason: 'media_changed' }, { cause });
