/** Compares the histories that two runs printed. The same seed of the same commit has one history on every machine. */

/** Hashes by the number of nodes and the seed. */
export type Hashes = ReadonlyMap<string, string>;

/** Reads the hashes in the output of `npm run simulate` or of the nightly run; other lines are ignored. */
export function hashesIn(printed: string): Hashes {
  const lines = printed.matchAll(/^\W*seed (\d+) on (\d+) nodes {2}(\w+) /gm);
  return new Map(Array.from(lines, ([, seed, nodes, hash]) => [`seed ${seed} on ${nodes} nodes`, String(hash)]));
}

/** Returns the seeds that both runs played, with different histories. Throws if no seed was played by both. */
export function differing(one: Hashes, other: Hashes): readonly string[] {
  const both = [...one.keys()].filter((seed) => other.has(seed));
  if (both.length === 0) throw new Error('the two runs have no seed in common');
  return both.filter((seed) => one.get(seed) !== other.get(seed));
}
