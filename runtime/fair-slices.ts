/**
 * Splits long reads and writes into slices, and lets their owners take turns. Only one slice starts
 * per event-loop tick, so many slices never block the loop for longer than a single one. Only a few
 * slices of one owner run at a time, so the store can serve others in between. Each slice has a
 * waiting caller, so a limit on callers also bounds this queue.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairSlots } from './fair-slots.ts';

const SLICES = 8;
const SHARE = 2;

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

export const fairSlices = new FairSlices();
