import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../runtime/clock.ts';

/**
 * Maximum milliseconds of work before other callers get a turn; a turn per item would wait for
 * other work hundreds of times.
 */
const SLICE_MS = 10;

/** Maps the items in slices and yields to the event loop before each slice: all rows together take half a second. */
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
