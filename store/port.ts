import { codeOf } from '../runtime/errors.ts';
/** Plain JSON with a string id. Timestamps are integers (Unix epoch ms). */
export interface Doc {
  readonly _id: string;
}

type Scalar = string | number | boolean | null;

/** Strings compare by code point. Values of different types never match a comparison. */
export interface Condition {
  /** An array or object must be equal as a whole, with keys in the same order. */
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
 * Paths may be dotted (`"queue.depth"`). A scalar matches a field that equals it, or an array field
 * (declared in the spec) that contains it; null also matches a missing field. The embedded store
 * throws a TypeError for anything else, including `undefined`, which must never mean "any". Arrays
 * of objects cannot be searched but can be compared as a whole (`$eq`).
 */
export type Filter = {
  readonly [path: string]: Scalar | Condition | Filter[];
} & { readonly $or?: Filter[]; readonly $and?: Filter[] };

/**
 * No path may occur twice or contain another. `_id` never changes. Values are plain JSON: the
 * embedded store throws a TypeError for undefined, NaN and dates.
 */
export interface Update {
  $set?: Readonly<Record<string, unknown>>;
  $unset?: Readonly<Record<string, '' | 1 | true>>;
  $inc?: Readonly<Record<string, number>>;
  /** A value, or {$each: values, $slice?: n}. A negative n keeps the last ones. */
  $push?: Readonly<Record<string, unknown>>;
  $pull?: Readonly<Record<string, unknown>>;
  $addToSet?: Readonly<Record<string, unknown>>;
  $setOnInsert?: Readonly<Record<string, unknown>>;
}

export type Sort = Readonly<Record<string, 1 | -1>>;

export interface Cursor<T> {
  toArray(): Promise<T[]>;
  /**
   * Reads in pieces, for long reads and lists: a piece holds at most about a megabyte of documents,
   * or one document. Not a snapshot: it may miss or include concurrent changes, but returns no
   * document twice.
   */
  [Symbol.asyncIterator](): AsyncIterator<T>;
}

/**
 * The subset of the MongoDB driver's `Collection` that repositories use; the driver's type
 * satisfies it. A write resolves only when it is durable. A duplicate key rejects with `code:
 * 11000` and `keyPattern`. The error of insertMany has `insertedCount` instead: documents before
 * the rejected one are stored; with `ordered: false`, all documents that were not rejected. An upsert needs
 * `_id` in its filter or in `$setOnInsert`. A failed updateMany keeps the changes it has made.
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

/** Stores treat missing keys and nulls differently: unique indexes over them must be partial. */
export interface IndexSpec {
  readonly name: string;
  readonly keys: Sort;
  readonly unique?: boolean;
  /** Only matching documents are indexed: `$exists: true`, equality and comparisons. */
  readonly where?: Filter;
}

export interface CollectionSpec {
  readonly name: string;
  readonly indexes: readonly IndexSpec[];
  /** Paths that hold arrays of scalars and are searched by membership. */
  readonly arrays?: readonly string[];
  /** Names of indexes of earlier versions that `prepare` drops if they exist. */
  readonly retired?: readonly string[];
  /** Path of an integer (epoch ms) after which a sweep removes the document. */
  readonly expires?: string;
}

/** A durable document store: `embedded/` (SQLite, one process) or `mongo/mongo.ts`. */
export interface Store {
  readonly name: 'embedded' | 'mongodb';
  /** The same collection for the same name. Open all, call `prepare`, then use them. */
  collection<T extends Doc>(spec: CollectionSpec): Collection<T>;
  /**
   * Makes all single-document writes (or at most a hundred documents) that `issue` starts before it
   * first awaits one atomic write: all are stored, or none and all reject (see `isRefusedTogether`).
   * `isStrict`: an `updateOne` that matches nothing is refused as well. Absent if the store has no cheap
   * way to do so: then write one after the other in an order that survives a crash.
   */
  together?<R>(issue: () => R, isStrict?: boolean): R;
  /**
   * For low-priority writes: resolves when others are about to be committed, or soon. Writes of that
   * tick share the commit. Absent if the store would not benefit.
   */
  soon?(): Promise<void>;
  /** Number of attempted writes; data read at this number is current. Absent if other processes may write. */
  writesTo?(collection: string): number;
  /** Resolves when all opened collections have their indexes. Call it once before any operation. */
  prepare(): Promise<void>;
  /** Resolves when the store responds, rejects when it does not. Used by /ready. */
  ping(): Promise<void>;
  /** Whether callers should fail at once because the store has long been unreachable. Absent: never. */
  isAway?(): boolean;
  /** Removes expired documents and returns how many. May skip a collection for five minutes. */
  sweep(now: number): Promise<number>;
  close(): Promise<void>;
}

/** `keyPattern` names the fields of the index, except after insertMany. */
export function isDuplicateKey(cause: unknown): cause is Error & { code: 11000; keyPattern: Record<string, 1 | -1> } {
  return cause instanceof Error && codeOf(cause) === 11000;
}

/** Whether a read found a record that is not JSON, because someone edited the store. */
export const isUnreadable = (cause: unknown): boolean => cause instanceof SyntaxError;

/** Whether a write was not stored because another write in the same `together` was rejected. */
export const isRefusedTogether = (cause: unknown): boolean => cause instanceof RefusedTogether;

/** Rejects a write in `together` when another write was rejected. */
export class RefusedTogether extends Error {
  override readonly name = 'RefusedTogether';
}
