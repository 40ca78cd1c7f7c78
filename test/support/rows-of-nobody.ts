import type { CollectionSpec, Store } from '../../store/port.ts';

/** The embedded store counts so many rows on a thread of its own, where only so much of one tenant may wait. */
const MANY = 20_000;

/** Makes a collection large. */
export async function addRowsOfNobody(store: Store, spec: CollectionSpec): Promise<void> {
  const rows = Array.from({ length: MANY }, (_, nth) => ({ _id: `nobody ${nth}` }));
  await store.collection(spec).insertMany(rows, { ordered: false });
}
