import { setImmediate as nextTurn } from 'node:timers/promises';

/** What `make` makes of each, with a turn of the event loop for others before each: all together take half a second. */
export async function inTurns<T, R>(list: readonly T[], make: (one: T) => R): Promise<readonly R[]> {
  const made: R[] = [];
  for (const one of list) {
    await nextTurn();
    made.push(make(one));
  }
  return made;
}
