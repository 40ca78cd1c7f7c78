import { type Clock, forAtMost } from '../../runtime/clock.ts';

export interface Album {
  readonly netId: string;
  readonly images: number;
  readonly videos: number;
}

/** `leave` is called when it is the file's turn. */
export type Turn = <T>(ready: () => Promise<T>, leave: (made: T) => void) => Promise<void>;

/** Maximum time that a file waits for the previous one before it is sent out of order. */
const WAITS_MS = 15_000;

const atOnce: Turn = async (ready, leave) => leave(await ready());

export class AlbumTurns {
  readonly #clock: Clock | null;
  readonly #tails = new Map<string, Promise<void>>();

  /** `clock` is null if reading a file always finishes, so that no time limit is needed. */
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
