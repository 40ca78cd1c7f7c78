import { type Clock, forAtMost } from '../../runtime/clock.ts';

export interface Album {
  /** Network id of the album's own message, which a driver writes before the first file. */
  readonly netId: string;
  readonly images: number;
  readonly videos: number;
}

/** Runs `ready`, then passes its result to `leave` when it is the file's turn. */
export type Turn = <T>(ready: () => Promise<T>, leave: (made: T) => void) => Promise<void>;

/** How long a file waits for the previous one; after that it is sent out of order. */
const WAITS_MS = 15_000;

const atOnce: Turn = async (ready, leave) => leave(await ready());

/** Keeps the files of one album in order; other files are sent as soon as they are read. */
export class AlbumTurns {
  readonly #clock: Clock | null;
  readonly #tails = new Map<string, Promise<void>>();

  /** `clock`: null when reading a file always ends, so no time limit is needed. */
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
