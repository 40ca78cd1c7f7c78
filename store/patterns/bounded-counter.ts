import type { Collection, Doc } from '../port.ts';
import { upsertWhere } from './upsert-where.ts';

/** One step of a counter that lives in one small document. */
export interface Step {
  readonly _id: string;
  readonly field: string;
  readonly by: number;
  /** The counter never goes above it; null: no limit. */
  readonly limit: number | null;
  /** What is pushed onto arrays of the document in the same write. */
  readonly push?: Readonly<Record<string, unknown>>;
  /** The initial document, if this is its first step. */
  readonly first: Readonly<Record<string, unknown>>;
}

/** Adds `by` unless that would pass the limit; false: nothing changed. Exact however many callers race, on one node or on many. */
export async function countUpTo<T extends Doc>(counters: Collection<T>, step: Step): Promise<boolean> {
  const { _id, field, by, limit, push, first } = step;
  if (limit !== null && by > limit) return false;
  const filter = limit === null ? { _id } : { _id, [field]: { $lte: limit - by } };
  return upsertWhere(counters, filter, { $inc: { [field]: by }, ...(push && { $push: push }), $setOnInsert: first });
}
