import type { CollectionSpec, Store } from '../../store/port.ts';

/**
 * Number of rows from which the embedded store counts on a separate thread, where each tenant has a limit of pending
 * work.
 */
const MANY = 20_000;

/** Makes a collection large. */
export async function addRowsOfNobody(store: Store, spec: CollectionSpec): Promise<void> {
  const rows = Array.from({ length: MANY }, (_, nth) => ({ _id: `nobody ${nth}` }));
  await store.collection(spec).insertMany(rows, { ordered: false });
}
