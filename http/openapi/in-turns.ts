import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../runtime/clock.ts';

/** Others wait so long for a turn at most; a turn for each item would wait for all the others hundreds of times. */
const SLICE_MS = 10;

/** What `make` makes of each, in slices, with a turn of the event loop for others before each slice: all together take half a second. */
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
