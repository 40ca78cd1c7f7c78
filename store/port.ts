import { codeOf } from '../runtime/errors.ts';
/** A stored record: plain JSON with a string id. Timestamps are integers (Unix epoch ms), so that every store holds the same. */
export interface Doc {
  readonly _id: string;
}

type Scalar = string | number | boolean | null;

/** Conditions on one field. Strings compare by code point, as both stores do without a collation; a comparison holds within one type only. */
export interface Condition {
  /** An array or an object matches a field that is the same as a whole, its keys in the same order: the guard of a write over a value that was read. */
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
 * Paths may be dotted (`"queue.depth"`). A scalar matches a field that equals it, or an array field (declared in the spec) that holds it; null matches a missing field too.
 * Anything else is a TypeError in the embedded store; so is `undefined`, which must never mean "any". Arrays of objects cannot be searched, but compared
 * as a whole (`$eq`).
 */
export type Filter = {
  readonly [path: string]: Scalar | Condition | Filter[];
} & { readonly $or?: Filter[]; readonly $and?: Filter[] };

/** No path twice, none inside another. `_id` never changes. Values are plain JSON: undefined, NaN and dates are a TypeError in the embedded store. */
export interface Update {
  $set?: Readonly<Record<string, unknown>>;
  $unset?: Readonly<Record<string, '' | 1 | true>>;
  $inc?: Readonly<Record<string, number>>;
  /** A value, or {$each: values, $slice?: n} (a negative n keeps the last ones). */
  $push?: Readonly<Record<string, unknown>>;
  /** Removes array items equal to a scalar. */
  $pull?: Readonly<Record<string, unknown>>;
  $addToSet?: Readonly<Record<string, unknown>>;
  $setOnInsert?: Readonly<Record<string, unknown>>;
}

export type Sort = Readonly<Record<string, 1 | -1>>;

export interface Cursor<T> {
  toArray(): Promise<T[]>;
  /**
   * Piece by piece, for long readings and for lists: a piece is about a megabyte of documents at most, or one document. Not a snapshot: it may miss or see what
   * changes meanwhile, but gives no document twice.
   */
  [Symbol.asyncIterator](): AsyncIterator<T>;
}

/**
 * The narrow slice of the MongoDB driver's `Collection` that repositories use; the driver's own satisfies it as it is.
 * A write resolves only when it is durable. A duplicate key rejects with `code: 11000` and `keyPattern` (but insertMany's error
 * carries `insertedCount` instead: the documents before the refused one stay, with `ordered: false` all that were not refused).
 * An upsert needs `_id` in its filter or `$setOnInsert`. updateMany that fails midway leaves what it has changed.
 */
export interface Collection<T extends Doc> {
  findOne(filter: Filter, options?: { sort?: Sort; projection?: Readonly<Record<string, 0 | 1>> }): Promise<T | null>;
  /** `batchSize`: documents that an iteration fetches together. */
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

/** One declared index. A unique index over a field that may be missing must be partial (`where`), because stores differ on missing keys (and on an explicit null). */
export interface IndexSpec {
  readonly name: string;
  readonly keys: Sort;
  readonly unique?: boolean;
  /** Only documents that match are indexed: `$exists: true`, equality and comparisons. */
  readonly where?: Filter;
}

export interface CollectionSpec {
  readonly name: string;
  readonly indexes: readonly IndexSpec[];
  /** Paths that hold arrays of scalars and are searched by membership. */
  readonly arrays?: readonly string[];
  /** Names of indexes that an earlier version declared and this one does not want any more: `prepare` drops them where they are. */
  readonly retired?: readonly string[];
  /** Path of an integer (epoch ms) after which a sweep removes the document. */
  readonly expires?: string;
}

/** A place where documents survive. Implementations: `embedded/` (SQLite, one process) and `mongo/mongo.ts`. */
export interface Store {
  readonly name: 'embedded' | 'mongodb';
  /** The same name gives the same collection. Open all of them, then `prepare`, then use them. */
  collection<T extends Doc>(spec: CollectionSpec): Collection<T>;
  /**
   * All writes of one document each, or of at most a hundred, that `issue` begins before it first waits are one: all of them are stored, or none, and then they reject
   * (see `isRefusedTogether`). `isStrict`: an `updateOne` that finds nothing is refused, too. Absent: this store does not do that cheaply; write them one
   * after the other, in an order that survives a crash.
   */
  together?<R>(issue: () => R, isStrict?: boolean): R;
  /**
   * For what nobody waits for: resolves when other writes are about to be committed, or some milliseconds later. What is begun in the same turn shares
   * their commit. Absent: this store gains nothing by that.
   */
  soon?(): Promise<void>;
  /** How many writes to a collection were tried: what was read of it holds as long as this is the same. Absent: others write to it, too. */
  writesTo?(collection: string): number;
  /** Resolves when the indexes of every collection opened so far exist. Needed once, before the first operation. */
  prepare(): Promise<void>;
  /** Resolves when the store answers; rejects when it does not. For /ready. */
  ping(): Promise<void>;
  /** Has it not been found for so long that nobody should be kept waiting for it? What is asked all the same waits some time more. Absent: never. */
  isAway?(): boolean;
  /** Removes documents past their `expires`; gives how many went. A collection in which there were none may be passed over for five minutes. */
  sweep(now: number): Promise<number>;
  close(): Promise<void>;
}

/** Is this the store's answer to a second document with the same unique key? `keyPattern` names the index's fields, but after insertMany. */
export function isDuplicateKey(cause: unknown): cause is Error & { code: 11000; keyPattern: Record<string, 1 | -1> } {
  return cause instanceof Error && codeOf(cause) === 11000;
}

/** Whether a read met a record that is no JSON: someone edited the store. */
export const isUnreadable = (cause: unknown): boolean => cause instanceof SyntaxError;

/** Was nothing of a write stored because another one of `together` was refused? */
export const isRefusedTogether = (cause: unknown): boolean => cause instanceof RefusedTogether;

/** The store's answer to a write of `together` beside one that was refused. */
export class RefusedTogether extends Error {
  override readonly name = 'RefusedTogether';
}
