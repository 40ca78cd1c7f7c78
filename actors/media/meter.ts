import { createHash } from 'node:crypto';
import { refusal } from '../refusals.ts';
import { HEAD_BYTES } from './types.ts';

/** What went through. */
export interface Measured {
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  /** The first `HEAD_BYTES`. */
  readonly head: Buffer;
}

/** Counts and hashes bytes on their way. */
export class Meter {
  readonly #maxBytes: number;
  readonly #hash = createHash('sha256');
  readonly #head: Uint8Array[] = [];
  #headSize = 0;
  #size = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** `source` as it is; fails with Refusal PAYLOAD_TOO_LARGE at the first byte too many, whatever anybody said of the size. */
  async *through(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source) {
      this.add(chunk);
      yield chunk;
    }
  }

  /** Refuses as `through` does. */
  add(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) throw refusal('PAYLOAD_TOO_LARGE');
    this.#hash.update(chunk);
    if (this.#headSize < HEAD_BYTES) this.#keep(chunk.subarray(0, HEAD_BYTES - this.#headSize));
  }

  /** Once, at the end. */
  measured(): Measured {
    return { size: this.#size, sha256: this.#hash.digest('hex'), head: Buffer.concat(this.#head) };
  }

  /** A copy: a part of a chunk would hold the whole of it in memory. */
  #keep(start: Uint8Array): void {
    this.#head.push(Uint8Array.from(start));
    this.#headSize += start.length;
  }
}
