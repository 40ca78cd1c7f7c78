import { Readable } from 'node:stream';
import { type Clock, pause } from '../../runtime/clock.ts';
import { Refusal } from '../../runtime/errors.ts';

/** Fetches the message's file from the network. */
export type Download = () => Promise<Readable>;

const TRIED_AGAIN_AFTER_MS = [1_000, 5_000] as const;

/**
 * A file on its way in from the network, which is tried three times. Tells what the network did wrong with it from what the store did: a file
 * that cannot be had must not keep its message out, or its device would be offered it for ever.
 */
export class ArrivingFile {
  readonly #download: Download;
  readonly #clock: Clock;
  #hasFailed = false;

  constructor(download: Download, clock: Clock) {
    this.#download = download;
    this.#clock = clock;
  }

  /** What `store` makes of its bytes; null where the network's side of it failed each time. Rejects as `store` does, and with any Refusal. */
  async into<T>(store: (open: Download) => Promise<T>): Promise<T | null> {
    for (const again of [...TRIED_AGAIN_AFTER_MS, null]) {
      this.#hasFailed = false;
      try {
        return await store(() => this.#open());
      } catch (cause) {
        if (cause instanceof Refusal || !this.#hasFailed) throw cause;
        if (again !== null) await pause(this.#clock, again);
      }
    }
    return null;
  }

  async #open(): Promise<Readable> {
    const source = await this.#download().catch((cause) => this.#failed(cause));
    return Readable.from(this.#bytesOf(source), { objectMode: false });
  }

  /** By hand: what fails at whoever reads these bytes is thrown into a generator, too, and is not the network's. */
  async *#bytesOf(source: Readable): AsyncGenerator<Uint8Array, void, undefined> {
    const bytes = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await bytes.next().catch((cause) => this.#failed(cause));
        if (done) return;
        yield value;
      }
    } finally {
      source.destroy();
    }
  }

  #failed(cause: unknown): never {
    this.#hasFailed = true;
    throw cause;
  }
}
