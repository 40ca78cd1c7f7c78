import type { Collection, Doc } from '../port.ts';
import { upsertWhere } from './upsert-where.ts';

export interface Step {
  readonly _id: string;
  readonly field: string;
  readonly by: number;
  readonly limit: number | null;
  readonly push?: Readonly<Record<string, unknown>>;
  readonly first: Readonly<Record<string, unknown>>;
}

/** Returns false if adding `by` would exceed the limit. The check is exact under concurrency. */
export async function countUpTo<T extends Doc>(counters: Collection<T>, step: Step): Promise<boolean> {
  const { _id, field, by, limit, push, first } = step;
  if (limit !== null && by > limit) return false;
  const filter = limit === null ? { _id } : { _id, [field]: { $lte: limit - by } };
  return upsertWhere(counters, filter, { $inc: { [field]: by }, ...(push && { $push: push }), $setOnInsert: first });
}
