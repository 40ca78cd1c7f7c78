/** A list with at least one entry. */
export type NonEmpty<T> = readonly [T, ...T[]];

/** The entries by key, in the order in which they come. */
export function groupsOf<T, K>(entries: Iterable<T>, keyOf: (entry: T) => K): ReadonlyMap<K, NonEmpty<T>> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

/** Works on one after the other. One that fails keeps no other from its turn; rejects with the first failure when all had theirs. */
export async function eachInTurn<T>(all: Iterable<T>, work: (one: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) await work(one).catch((cause) => failures.push(cause));
  if (failures.length > 0) throw failures[0];
}
