const LENGTH_BYTES = 3;
const INTRO_BYTES = 4;
/** `ED`, two version bytes, a length of three bytes: where a client asks to be routed to. */
const ROUTING_HEAD = 7;

/** A frame with its length before it. */
export function framed(body: Uint8Array): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES);
  head.writeUIntBE(body.length, 0, LENGTH_BYTES);
  return Buffer.concat([head, body]);
}

/** Cuts what arrives into the intro and the frames after it. */
export class Deframer {
  #waiting: Buffer = Buffer.alloc(0);
  #intro: Buffer | null = null;

  add(data: Uint8Array): void {
    this.#waiting = Buffer.concat([this.#waiting, data]);
  }

  /** The four bytes `WA` and version, once they are here; throws at anything else. */
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
