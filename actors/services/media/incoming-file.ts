import { Readable } from 'node:stream';
import { type Clock, pause } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';

export type Download = () => Promise<Readable>;

/** This is longer than the minute that the phone may take to upload a file again. */
const SILENT_AFTER_MS = 90_000;
const TRIED_AGAIN_AFTER_MS = [1_000, 5_000] as const;

/**
 * Distinguishes failures of the network from failures of the store: an unavailable file must not
 * block its message, or the network would offer the message forever.
 */
export class IncomingFile {
  readonly #download: Download;
  readonly #clock: Clock;
  #hasFailed = false;

  constructor(download: Download, clock: Clock) {
    this.#download = download;
    this.#clock = clock;
  }

  /** Null if the network failed each time. Rejects with a Refusal or another error of `store`. */
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

  async open(): Promise<Readable> {
    const source = await this.#within(this.#download());
    // The stream may fail before its first byte is read. Reading it then reports the error.
    source.on('error', () => undefined);
    return Readable.from(this.#bytesOf(source), { objectMode: false });
  }

  /** Watches only reads of the source, because errors of the reader are not network errors. */
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
