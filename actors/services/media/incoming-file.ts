import { Readable } from 'node:stream';
import { type Clock, pause } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';

/** Fetches the message's file from the network. */
export type Download = () => Promise<Readable>;

/** Our phone has a minute to send a file again. */
const SILENT_AFTER_MS = 90_000;
const TRIED_AGAIN_AFTER_MS = [1_000, 5_000] as const;

/**
 * A file on its way in from the network, which is tried three times. Tells what the network did wrong with it from what the store did: a file
 * that cannot be had must not keep its message out, or its device would be offered it for ever.
 */
export class IncomingFile {
  readonly #download: Download;
  readonly #clock: Clock;
  #hasFailed = false;

  constructor(download: Download, clock: Clock) {
    this.#download = download;
    this.#clock = clock;
  }

  /** The result of `store` for its bytes; null if the network failed each time. Rejects as `store` does, and with any Refusal. */
  async into<T>(store: (open: Download) => Promise<T>): Promise<T | null> {
    for (const again of [...TRIED_AGAIN_AFTER_MS, null]) {
      this.#hasFailed = false;
      try {
        return await store(() => this.open());
      } catch (cause) {
        if (cause instanceof Refusal || !this.#hasFailed) throw cause;
        if (again !== null) await pause(this.#clock, again);
      }
    }
    return null;
  }

  /** Its bytes; a network that is silent for too long has failed. */
  async open(): Promise<Readable> {
    const source = await this.#within(this.#download());
    // It may fail before its first byte is read; reading it reports that.
    source.on('error', () => undefined);
    return Readable.from(this.#bytesOf(source), { objectMode: false });
  }

  /** By hand: a failure of the reader of these bytes is also thrown into a generator, and is not the network's. */
  async *#bytesOf(source: Readable): AsyncGenerator<Uint8Array, void, undefined> {
    const bytes = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.#within(bytes.next());
        if (done) return;
        yield value;
      }
    } finally {
      source.destroy();
    }
  }

  /** Whatever takes longer says that the host is silent. */
  async #within<T>(work: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = this.#clock.after(SILENT_AFTER_MS, () => reject(new Error('the host of a file is silent')));
    try {
      return await Promise.race([work, late]);
    } catch (cause) {
      return this.#failed(cause);
    } finally {
      cancel();
    }
  }

  #failed(cause: unknown): never {
    this.#hasFailed = true;
    throw cause;
  }
}
