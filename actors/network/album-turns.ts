import { type Clock, forAtMost } from '../../runtime/clock.ts';

/** The album that a file belongs to. */
export interface Album {
  /** Network id of the album's own message, which a driver writes before the first file. */
  readonly netId: string;
  readonly images: number;
  readonly videos: number;
}

/** Makes `ready`, and runs `leave` with it in its turn. */
export type Turn = <T>(ready: () => Promise<T>, leave: (made: T) => void) => Promise<void>;

/** A file that is not ready by then is overtaken. */
const WAITS_MS = 15_000;

const atOnce: Turn = async (ready, leave) => leave(await ready());

/**
 * Files leave when they were read, so that a small one may overtake a large one; those of one album leave in the order
 * in which they were given.
 */
export class AlbumTurns {
  readonly #clock: Clock | null;
  readonly #tails = new Map<string, Promise<void>>();

  /** `clock`: null where reading always ends. */
  constructor(clock: Clock | null) {
    this.#clock = clock;
  }

  /** To be asked for in the order of the files. */
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
