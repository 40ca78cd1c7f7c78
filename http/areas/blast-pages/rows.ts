/** A page of a list under `key`, of which one more than `limit` was read. */
export function paged<K extends string, T extends { _id: string; created_at: number }, R>(
  key: K,
  found: readonly T[],
  limit: number,
  shown: (row: T) => R,
) {
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { [key]: page.map(shown), next_before: last?.created_at ?? null, next_before_id: last?._id ?? null };
}
