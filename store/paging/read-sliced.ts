import { fairSlices } from '../../runtime/fair-slices.ts';
import { inChunks } from '../../runtime/in-chunks.ts';

const SLICE = 1_000;

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
