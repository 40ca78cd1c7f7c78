export type NonEmpty<T> = readonly [T, ...T[]];

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
