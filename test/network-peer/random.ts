import { createHash } from 'node:crypto';

/**
 * The only source of randomness of a peer: the same seed gives the same keys, codes and ids in the same order. Not for
 * real secrets.
 */
export class SeededRandom {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: number | string) {
    this.#seed = String(seed);
  }

  bytes(length: number): Buffer {
    const blocks: Buffer[] = [];
    for (let have = 0; have < length; have += 32) blocks.push(this.#block());
    return Buffer.concat(blocks).subarray(0, length);
  }

  /** Returns a number from 0 to 2^`bits` - 1. `bits`: at most 31. */
  number(bits: number): number {
    return this.bytes(4).readUInt32BE() >>> (32 - bits);
  }

  /** Returns a message id in the format that phones use. */
  messageId(): string {
    return `3A${this.bytes(9).toString('hex').toUpperCase()}`;
  }

  #block(): Buffer {
    this.#drawn += 1;
    return createHash('sha256').update(`${this.#seed}/${this.#drawn}`).digest();
  }
}
