import { memberOf } from '../../runtime/shapes.ts';
import { type Collection, type Doc, isDuplicateKey } from '../port.ts';

/** Skips documents whose keys are taken, so that the insert can be repeated after a crash. */
export async function insertedOf<T extends Doc>(collection: Collection<T>, docs: readonly T[]): Promise<number> {
  if (docs.length === 0) return 0;
  try {
    return (await collection.insertMany(docs, { ordered: false })).insertedCount;
  } catch (cause) {
    if (!isDuplicateKey(cause)) throw cause;
    return Number(memberOf(cause, 'insertedCount') ?? 0);
  }
}
