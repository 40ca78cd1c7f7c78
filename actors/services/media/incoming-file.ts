import { Readable } from 'node:stream';
import { type Clock, pause } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';

export type Download = () => Promise<Readable>;

/** Must be longer than the minute that a phone may take to upload a file again. */
const SILENT_AFTER_MS = 90_000;
const TRIED_AGAIN_AFTER_MS = [1_000, 5_000] as const;

/**
 * Downloads a file, and separates network from store failures. If the network cannot provide
 * the file, its message must be stored without it. Otherwise, the network redelivers it forever.
 */
export class IncomingFile {
  readonly #download: Download;
  readonly #clock: Clock;
  #hasFailed = false;

  constructor(download: Download, clock: Clock) {
    this.#download = download;
    this.#clock = clock;
  }

  /** Resolves to null if the network failed each time. Rejects with an error of `store`. */
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
    // Without this handler, an error before the first read would crash the process. The read reports it.
    source.on('error', () => undefined);
    return Readable.from(this.#bytesOf(source), { objectMode: false });
  }

  /** Only reading the source is watched. Consumer errors are not network errors. */
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
    const cancel = this.#clock.after(SILENT_AFTER_MS, () => reject(new Error('the host of a file does not respond')));
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
