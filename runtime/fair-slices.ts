import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairSlots } from './fair-slots.ts';

/** Worked on at once, where the work is done outside of our event loop; as many as a store answers side by side. */
const SLICES = 8;
const SHARE = 2;

/**
 * Long reads and writes go in slices, and owners have their slices in turn. One slice begins in a turn of the event loop, so that all together hold it
 * no longer than one does; and few slices of one owner are at work at once, so that however much it asks for, a store answers others between them.
 * Each slice has a caller that waits for it, so a bound on callers bounds the queue here.
 */
export class FairSlices {
  readonly #slices = new FairSlots({ slots: SLICES, share: SHARE, waiting: Number.POSITIVE_INFINITY, full: unreachable });
  readonly #turns = new FairSlots({ slots: 1, share: 1, waiting: Number.POSITIVE_INFINITY, full: unreachable });

  /** Runs one slice in a turn of its owner. Rejects as `work` does. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return this.#slices.run(owner, async () => {
      await this.turn(owner);
      return work();
    });
  }

  /** Resolves in the next free turn of this owner. */
  turn(owner: string): Promise<void> {
    return this.#turns.run(owner, () => nextTurn());
  }
}

const unreachable = (): Error => new Error('a queue without end was full');

/** Of this process, as its event loop is. */
export const fairSlices = new FairSlices();
