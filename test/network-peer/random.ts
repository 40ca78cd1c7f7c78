import { createHash } from 'node:crypto';

/** All chance of a peer: the same seed gives the same keys, codes and ids in the same order. Not for secrets of anybody real. */
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

  /** 0 to 2^`bits` - 1; at most 31 bits. */
  number(bits: number): number {
    return this.bytes(4).readUInt32BE() >>> (32 - bits);
  }

  /** An id as phones make them for messages. */
  messageId(): string {
    return `3A${this.bytes(9).toString('hex').toUpperCase()}`;
  }

  #block(): Buffer {
    this.#drawn += 1;
    return createHash('sha256').update(`${this.#seed}/${this.#drawn}`).digest();
  }
}
