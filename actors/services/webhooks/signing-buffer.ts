const MARGIN_BYTES = 192;

/** Keeps free space in front of a text, so that signing needs no copy. */
export class SigningBuffer {
  readonly body: Buffer;
  readonly #all: Buffer;

  constructor(text: string) {
    this.#all = Buffer.allocUnsafe(MARGIN_BYTES + Buffer.byteLength(text));
    this.#all.write(text, MARGIN_BYTES);
    this.body = this.#all.subarray(MARGIN_BYTES);
  }

  /** The result is valid until the next call. Throws a RangeError if the parts do not fit. */
  headed(block: Buffer, prefix: string): Buffer {
    const from = MARGIN_BYTES - prefix.length - block.length;
    if (from < 0) throw new RangeError('too much before a text');
    this.#all.set(block, from);
    if (prefix !== '') this.#all.write(prefix, from + block.length, 'latin1');
    return this.#all.subarray(from);
  }
}
