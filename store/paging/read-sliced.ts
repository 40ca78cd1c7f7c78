import { fairSlices } from '../../runtime/fair-slices.ts';
import { inChunks } from '../../runtime/in-chunks.ts';

/** As many values of one `$in` as a store answers at once. */
const SLICE = 1_000;

/** All that `read` finds of these keys, however many: it is given a slice of them at a time, and others have their turn in between. */
export async function readSliced<K, R>(
  owner: string,
  keys: readonly K[],
  read: (slice: readonly K[]) => Promise<Iterable<R>>,
): Promise<readonly R[]> {
  const found: R[] = [];
  for (const [nth, slice] of inChunks(keys, SLICE).entries()) {
    if (nth > 0) await fairSlices.turn(owner);
    for (const one of await read(slice)) found.push(one);
  }
  return found;
}
