const MARGIN_BYTES = 192;

/** A text with free space before it, so that it can be signed without being copied. */
export class SigningBuffer {
  readonly body: Buffer;
  readonly #all: Buffer;

  constructor(text: string) {
    this.#all = Buffer.allocUnsafe(MARGIN_BYTES + Buffer.byteLength(text));
    this.#all.write(text, MARGIN_BYTES);
    this.body = this.#all.subarray(MARGIN_BYTES);
  }

  /** Writes the parts before the text. Valid until the next call. Throws RangeError if space is lacking. */
  headed(block: Buffer, prefix: string): Buffer {
    const from = MARGIN_BYTES - prefix.length - block.length;
    if (from < 0) throw new RangeError('the header does not fit before the text');
    this.#all.set(block, from);
    if (prefix !== '') this.#all.write(prefix, from + block.length, 'latin1');
    return this.#all.subarray(from);
  }
}
