import { type Collection, type Doc, type Filter, isDuplicateKey, type Update } from '../port.ts';

const TRIES = 3;

/**
 * Changes the document with this `_id` where the rest of `filter` holds, and makes it where there is none; false: it is there and does not
 * match. Of several callers that find none, each is judged by what the one before it made, on one node or on many.
 */
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
    // It may have gone between the two.
    if (tries === TRIES || (await collection.findOne({ _id: filter._id }, { projection: { _id: 1 } }))) return false;
  }
}
