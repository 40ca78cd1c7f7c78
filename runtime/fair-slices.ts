import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairSlots } from './fair-slots.ts';

/** Maximum number of slices in progress; about as many as a store serves in parallel. */
const SLICES = 8;
const SHARE = 2;

/**
 * Splits long reads and writes into slices; owners take turns. Only one slice starts per event-loop
 * tick, so many slices never block the loop for longer than a single one. Few slices of one owner
 * run at once, so the store can serve others in between. Each slice has a waiting caller, so a
 * limit on callers also bounds this queue.
 */
export class FairSlices {
  readonly #slices = new FairSlots({ slots: SLICES, share: SHARE, waiting: Number.POSITIVE_INFINITY, full: unreachable });
  readonly #turns = new FairSlots({ slots: 1, share: 1, waiting: Number.POSITIVE_INFINITY, full: unreachable });

  run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return this.#slices.run(owner, async () => {
      await this.turn(owner);
      return work();
    });
  }

  turn(owner: string): Promise<void> {
    return this.#turns.run(owner, () => nextTurn());
  }
}

const unreachable = (): Error => new Error('a queue without end was full');

/** Shared by the whole process, like its event loop. */
export const fairSlices = new FairSlices();
