import { type Collection, type Doc, type Filter, isDuplicateKey, type Update } from '../port.ts';

/**
 * Changes the document with this `_id` where the rest of `filter` holds, and makes it where there is none; false: it is there and does not
 * match. Of several callers that find none, each is judged by what the one before it made, on one node or on many.
 */
export async function upsertWhere<T extends Doc>(
  collection: Collection<T>,
  filter: Filter & { readonly _id: string },
  update: Update,
): Promise<boolean> {
  try {
    await collection.updateOne(filter, update, { upsert: true });
    return true;
  } catch (cause) {
    if (!isDuplicateKey(cause)) throw cause;
    return (await collection.updateOne(filter, update)).matchedCount === 1;
  }
}
