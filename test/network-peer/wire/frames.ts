const LENGTH_BYTES = 3;
const INTRO_BYTES = 4;
/** Length of `ED`, two version bytes and a three-byte length: a prefix in which a client requests routing. */
const ROUTING_HEAD = 7;

/** Returns a frame with its length prefix. */
export function framed(body: Uint8Array): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES);
  head.writeUIntBE(body.length, 0, LENGTH_BYTES);
  return Buffer.concat([head, body]);
}

/** Splits incoming bytes into the intro and the following frames. */
export class Deframer {
  #waiting: Buffer = Buffer.alloc(0);
  #intro: Buffer | null = null;

  add(data: Uint8Array): void {
    this.#waiting = Buffer.concat([this.#waiting, data]);
  }

  /** Returns `WA` and the version (four bytes) once they have arrived. Throws on anything else. */
  intro(): Buffer | null {
    if (this.#intro) return this.#intro;
    const start = this.#routingBytes();
    if (start === null || this.#waiting.length < start + INTRO_BYTES) return null;
    const intro = this.#waiting.subarray(start, start + INTRO_BYTES);
    if (intro.toString('latin1', 0, 2) !== 'WA') throw new Error(`not a client of this network: ${intro.toString('hex')}`);
    this.#waiting = this.#waiting.subarray(start + INTRO_BYTES);
    this.#intro = intro;
    return intro;
  }

  *frames(): Generator<Buffer> {
    while (this.#waiting.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + this.#waiting.readUIntBE(0, LENGTH_BYTES);
      if (this.#waiting.length < end) return;
      const frame = this.#waiting.subarray(LENGTH_BYTES, end);
      this.#waiting = this.#waiting.subarray(end);
      yield frame;
    }
  }

  #routingBytes(): number | null {
    if (this.#waiting.length < INTRO_BYTES) return null;
    if (this.#waiting.toString('latin1', 0, 2) !== 'ED') return 0;
    return this.#waiting.length < ROUTING_HEAD ? null : ROUTING_HEAD + this.#waiting.readUIntBE(4, LENGTH_BYTES);
  }
}
