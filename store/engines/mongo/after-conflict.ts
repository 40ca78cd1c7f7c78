import { setTimeout as delay } from 'node:timers/promises';
import { MongoServerError } from 'mongodb';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { type Random, systemRandom } from '../../../runtime/random.ts';

const WRITE_CONFLICT = 112;
/** After this many conflicts, something other than concurrent writes must be the cause. */
const CONFLICTS = 20;
/** Pauses before retries, in ms. They double from the first to the longest. */
const PAUSE = { first: 50, longest: 4_000 };

/** Runs retries one at a time, after a pause, because immediate retries would conflict again. */
export class ConflictRetry {
  readonly #random: Random;
  readonly #comingBack = new FairSlots({ slots: Number.POSITIVE_INFINITY, share: 1, waiting: Number.POSITIVE_INFINITY, full: neverFull });

  constructor(random: Random = systemRandom) {
    this.#random = random;
  }

  async run<R>(owner: string, write: () => Promise<R>): Promise<R> {
    try {
      return await write();
    } catch (cause) {
      if (!isConflict(cause)) throw cause;
    }
    return this.#comingBack.run(owner, () => this.#again(write));
  }

  async #again<R>(write: () => Promise<R>): Promise<R> {
    for (let conflicts = 1; ; conflicts += 1) {
      await delay(this.#random() * Math.min(PAUSE.first * 2 ** conflicts, PAUSE.longest));
      try {
        return await write();
      } catch (cause) {
        if (!isConflict(cause) || conflicts >= CONFLICTS) throw cause;
      }
    }
  }
}

const neverFull = (): Error => new Error('a queue without end was full');

const isConflict = (cause: unknown): boolean => cause instanceof MongoServerError && cause.code === WRITE_CONFLICT;
