import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../runtime/clock.ts';

/** Time between two yields. Yielding after each item would cost hundreds of waits. */
const SLICE_MS = 10;

/** Yields regularly, because processing all rows in one go takes half a second. */
export async function inTurns<T, R>(list: readonly T[], make: (one: T) => R): Promise<readonly R[]> {
  const made: R[] = [];
  let until = 0;
  for (const one of list) {
    if (systemClock.monotonic() >= until) {
      await nextTurn();
      until = systemClock.monotonic() + SLICE_MS;
    }
    made.push(make(one));
  }
  return made;
}
