import { setTimeout as delay } from 'node:timers/promises';
import { MongoServerError } from 'mongodb';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { type Random, systemRandom } from '../../../runtime/random.ts';

const WRITE_CONFLICT = 112;
/** After this many conflicts, a concurrent write is not the cause. */
const CONFLICTS = 20;
/** Maximum pause before the first retry and overall, in ms; doubles in between. */
const PAUSE = { first: 50, longest: 4_000 };

/**
 * Retries single-document writes that the server abandoned (WriteConflict). Writes that all retry
 * at once would conflict again, so the retries of one collection and owner run one at a time, each
 * after a random pause.
 */
export class ConflictRetry {
  readonly #random: Random;
  readonly #comingBack = new FairSlots({ slots: Number.POSITIVE_INFINITY, share: 1, waiting: Number.POSITIVE_INFINITY, full: neverFull });

  constructor(random: Random = systemRandom) {
    this.#random = random;
  }

  /** Rejects with the write's error; with a WriteConflict only after 20 of them. */
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
