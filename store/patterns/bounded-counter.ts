import type { Collection, Doc } from '../port.ts';
import { upsertWhere } from './upsert-where.ts';

export interface Step {
  readonly _id: string;
  readonly field: string;
  readonly by: number;
  readonly limit: number | null;
  /** Values pushed onto arrays of the document in the same write. */
  readonly push?: Readonly<Record<string, unknown>>;
  readonly first: Readonly<Record<string, unknown>>;
}

/** Adds `by`, or returns false if that would exceed the limit. Exact under concurrency. */
export async function countUpTo<T extends Doc>(counters: Collection<T>, step: Step): Promise<boolean> {
  const { _id, field, by, limit, push, first } = step;
  if (limit !== null && by > limit) return false;
  const filter = limit === null ? { _id } : { _id, [field]: { $lte: limit - by } };
  return upsertWhere(counters, filter, { $inc: { [field]: by }, ...(push && { $push: push }), $setOnInsert: first });
}
