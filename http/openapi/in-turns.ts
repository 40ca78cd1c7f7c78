import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../runtime/clock.ts';

/** Time in ms between two yields. Yielding after every item would be too slow. */
const SLICE_MS = 10;

/** Yields regularly, because processing all endpoints at once takes half a second. */
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
