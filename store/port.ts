import { codeOf } from '../runtime/errors.ts';
/** Plain JSON with a string id. Timestamps are integers (Unix epoch ms). */
export interface Doc {
  readonly _id: string;
}

type Scalar = string | number | boolean | null;

export interface Condition {
  /** An array or object must be equal as a whole, with its keys in the same order. */
  $eq?: Scalar | object;
  $ne?: Scalar;
  $gt?: number | string;
  $gte?: number | string;
  $lt?: number | string;
  $lte?: number | string;
  $in?: readonly Scalar[];
  $nin?: readonly Scalar[];
  $exists?: boolean;
}

/**
 * Keys are dotted paths. A scalar also matches an array that contains it, and null also matches a
 * missing field.
 */
export type Filter = {
  readonly [path: string]: Scalar | Condition | Filter[];
} & { readonly $or?: Filter[]; readonly $and?: Filter[] };

/** Paths must neither repeat nor contain one another. Values are plain JSON, without undefined or NaN. */
export interface Update {
  $set?: Readonly<Record<string, unknown>>;
  $unset?: Readonly<Record<string, '' | 1 | true>>;
  $inc?: Readonly<Record<string, number>>;
  /** Either a value, or {$each: values, $slice?: n}. A negative n keeps the last n items. */
  $push?: Readonly<Record<string, unknown>>;
  $pull?: Readonly<Record<string, unknown>>;
  $addToSet?: Readonly<Record<string, unknown>>;
  $setOnInsert?: Readonly<Record<string, unknown>>;
}

export type Sort = Readonly<Record<string, 1 | -1>>;

export interface Cursor<T> {
  toArray(): Promise<T[]>;
  /** Reads about a megabyte at a time. This is not a snapshot, but each document is returned only once. */
  [Symbol.asyncIterator](): AsyncIterator<T>;
}

/**
 * Subset of the MongoDB driver's `Collection`. Writes resolve once they are durable. Duplicate keys
 * have the code 11000.
 */
export interface Collection<T extends Doc> {
  findOne(filter: Filter, options?: { sort?: Sort; projection?: Readonly<Record<string, 0 | 1>> }): Promise<T | null>;
  find(
    filter: Filter,
    options?: { sort?: Sort; limit?: number; skip?: number; projection?: Readonly<Record<string, 0 | 1>>; batchSize?: number },
  ): Cursor<T>;
  countDocuments(filter: Filter, options?: { limit?: number }): Promise<number>;
  insertOne(doc: T): Promise<{ insertedId: unknown }>;
  insertMany(docs: readonly T[], options?: { ordered?: boolean }): Promise<{ insertedCount: number }>;
  updateOne(
    filter: Filter,
    update: Update,
    options?: { upsert?: boolean },
  ): Promise<{ matchedCount: number; modifiedCount: number; upsertedCount: number }>;
  updateMany(filter: Filter, update: Update): Promise<{ matchedCount: number; modifiedCount: number }>;
  findOneAndUpdate(
    filter: Filter,
    update: Update,
    options: { upsert?: boolean; sort?: Sort; returnDocument: 'before' | 'after' },
  ): Promise<T | null>;
  findOneAndDelete(filter: Filter): Promise<T | null>;
  deleteOne(filter: Filter): Promise<{ deletedCount: number }>;
  deleteMany(filter: Filter): Promise<{ deletedCount: number }>;
}

/**
 * A unique index over fields that may be missing or null must be partial, because stores treat
 * these values differently.
 */
export interface IndexSpec {
  readonly name: string;
  readonly keys: Sort;
  readonly unique?: boolean;
  readonly where?: Filter;
}

export interface CollectionSpec {
  readonly name: string;
  readonly indexes: readonly IndexSpec[];
  readonly arrays?: readonly string[];
  readonly retired?: readonly string[];
  /** Path of an integer field (epoch ms) after which a sweep removes the document. */
  readonly expires?: string;
}

export interface Store {
  readonly name: 'embedded' | 'mongodb';
  collection<T extends Doc>(spec: CollectionSpec): Collection<T>;
  /**
   * Stores all writes that `issue` starts before its first await, or none: at most a hundred, each
   * of one document. With `isStrict`, an `updateOne` without a match makes all of them fail. Absent
   * if the store cannot do this cheaply.
   */
  together?<R>(issue: () => R, isStrict?: boolean): R;
  /**
   * Await this before a low-priority write, so that it can share a commit. Absent if sharing has no
   * benefit.
   */
  soon?(): Promise<void>;
  /**
   * Number of attempted writes. While it stays the same, data that was read earlier is current.
   * Absent if other processes may write.
   */
  writesTo?(collection: string): number;
  /** Call this once, after all collections have been opened and before any operation. */
  prepare(): Promise<void>;
  ping(): Promise<void>;
  /** True if callers should fail immediately, because the store has long been unreachable. */
  isAway?(): boolean;
  /** Removes expired documents. A collection may be skipped for five minutes. */
  sweep(now: number): Promise<number>;
  close(): Promise<void>;
}

/** `keyPattern` contains the fields of the index, except after insertMany. */
export function isDuplicateKey(cause: unknown): cause is Error & { code: 11000; keyPattern: Record<string, 1 | -1> } {
  return cause instanceof Error && codeOf(cause) === 11000;
}

/** True if a read found a record that is not JSON, because someone edited the store. */
export const isUnreadable = (cause: unknown): boolean => cause instanceof SyntaxError;

export const isRefusedTogether = (cause: unknown): boolean => cause instanceof RefusedTogether;

export class RefusedTogether extends Error {
  override readonly name = 'RefusedTogether';
}
