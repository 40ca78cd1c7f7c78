import { setTimeout as delay } from 'node:timers/promises';
import { MongoServerError } from 'mongodb';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { type Random, systemRandom } from '../../../runtime/random.ts';

const WRITE_CONFLICT = 112;
/** A server that refuses one write so often has another reason than the writes beside it. */
const CONFLICTS = 20;
/** The longest pause before a try anew, in milliseconds: of the first, and of any; in between it doubles. */
const PAUSE = { first: 50, longest: 4_000 };

/**
 * Does writes of one document again that the server gave up in favour of another one (WriteConflict: nothing of them was written). Servers
 * mostly do so themselves, but may leave it to the client.
 *
 * Writes that all come back at once would give each other up anew, for ever on a server that finds a deadlock a second late: so those of one
 * collection and owner come back one at a time, each after a pause that chance chooses, for the sake of other nodes. Those of other owners are of other
 * documents, and do not wait for them.
 */
export class ConflictRetry {
  readonly #random: Random;
  readonly #comingBack = new FairSlots({ slots: Number.POSITIVE_INFINITY, share: 1, waiting: Number.POSITIVE_INFINITY, full: neverFull });

  constructor(random: Random = systemRandom) {
    this.#random = random;
  }

  /** What the write resolves to. Rejects as it does, with a WriteConflict only after 20 of them. */
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
