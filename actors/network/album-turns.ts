import { type Clock, forAtMost } from '../../runtime/clock.ts';

export interface Album {
  readonly netId: string;
  readonly images: number;
  readonly videos: number;
}

/** Runs `ready` immediately. When it is this file's turn in the album, passes the result to `leave`. */
export type Turn = <T>(ready: () => Promise<T>, leave: (made: T) => void) => Promise<void>;

/** Maximum time a file waits for the previous one. After that, it is sent out of order. */
const WAITS_MS = 15_000;

const atOnce: Turn = async (ready, leave) => leave(await ready());

export class AlbumTurns {
  readonly #clock: Clock | null;
  readonly #tails = new Map<string, Promise<void>>();

  /** `clock` may be null if reading a file always finishes, because no time limit is needed then. */
  constructor(clock: Clock | null) {
    this.#clock = clock;
  }

  turn(album: Album | undefined): Turn {
    if (!album) return atOnce;
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#tails.get(album.netId);
    this.#tails.set(album.netId, promise);
    void promise.then(() => this.#tails.get(album.netId) === promise && this.#tails.delete(album.netId));
    return async (ready, leave) => {
      try {
        const made = await ready();
        if (before) await (this.#clock ? forAtMost(this.#clock, WAITS_MS, before) : before);
        leave(made);
      } finally {
        resolve();
      }
    };
  }
}
