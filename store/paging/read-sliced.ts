import { fairSlices } from '../../runtime/fair-slices.ts';

/** As many values of one `$in` as a store answers at once. */
const SLICE = 1_000;

/** All that `read` finds of these keys, however many: it is given a slice of them at a time, and others have their turn in between. */
export async function readSliced<K, R>(
  owner: string,
  keys: readonly K[],
  read: (slice: readonly K[]) => Promise<Iterable<R>>,
): Promise<readonly R[]> {
  const found: R[] = [];
  for (let from = 0; from < keys.length; from += SLICE) {
    if (from > 0) await fairSlices.turn(owner);
    for (const one of await read(keys.slice(from, from + SLICE))) found.push(one);
  }
  return found;
}
