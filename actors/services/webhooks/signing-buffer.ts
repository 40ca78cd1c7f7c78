/** Room before the text for the bytes that are hashed before it: a block of a key, and the prefix of Standard Webhooks. */
const MARGIN_BYTES = 192;

/** A text to be sent and signed: written once, in memory that has room before it, so that each signature needs no copy of it. */
export class SigningBuffer {
  /** The text, as UTF-8. */
  readonly body: Buffer;
  readonly #all: Buffer;

  constructor(text: string) {
    this.#all = Buffer.allocUnsafe(MARGIN_BYTES + Buffer.byteLength(text));
    this.#all.write(text, MARGIN_BYTES);
    this.body = this.#all.subarray(MARGIN_BYTES);
  }

  /** `block`, `prefix` (ASCII) and the text in a row, until the next call. Throws a RangeError when there is no room for them. */
  headed(block: Buffer, prefix: string): Buffer {
    const from = MARGIN_BYTES - prefix.length - block.length;
    if (from < 0) throw new RangeError('too much before a text');
    this.#all.set(block, from);
    if (prefix !== '') this.#all.write(prefix, from + block.length, 'latin1');
    return this.#all.subarray(from);
  }
}
