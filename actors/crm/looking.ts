import { setImmediate as nextTurn } from 'node:timers/promises';
import { refusal } from '../refusals.ts';

/** Questions that somebody waits for, of all tenants: each is through in seconds, one slice after the other. */
const MOST_LOOKING = 50;

/**
 * Long looks at contacts go in slices. However many callers are at it, one slice is done in a turn of the event loop, so that all of them
 * together hold it no longer than one does, and devices have every other turn.
 */
export class Looking {
  #last: Promise<void> = Promise.resolve();
  #lookers = 0;

  /** Refuses OVERLOADED when too many look already. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#lookers >= MOST_LOOKING) throw refusal('OVERLOADED', { retryAfterMs: 5_000 });
    this.#lookers += 1;
    try {
      return await work();
    } finally {
      this.#lookers -= 1;
    }
  }

  /** Resolves in the next turn that is nobody else's. */
  turn(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}

/** Of this process, as its event loop is. */
export const looking = new Looking();
