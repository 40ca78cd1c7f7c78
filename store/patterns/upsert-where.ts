import { type Collection, type Doc, type Filter, isDuplicateKey, type Update } from '../port.ts';

const TRIES = 3;

/** Returns false if the document exists but does not match. The check is exact under concurrency. */
export async function upsertWhere<T extends Doc>(
  collection: Collection<T>,
  filter: Filter & { readonly _id: string },
  update: Update,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      await collection.updateOne(filter, update, { upsert: true });
      return true;
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
    }
    if ((await collection.updateOne(filter, update)).matchedCount === 1) return true;
    // The document may have been removed between the two operations.
    if (tries === TRIES || (await collection.findOne({ _id: filter._id }, { projection: { _id: 1 } }))) return false;
  }
}
