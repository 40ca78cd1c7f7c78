import { MongoServerError } from 'mongodb';
import type { Clock } from '../../../runtime/clock.ts';
import { isObject } from '../../../store/engines/embedded/paths.ts';
import { namedFields, project } from '../../../store/engines/embedded/projection.ts';
import { assertStorable } from '../../../store/engines/embedded/storable.ts';
import { applyUpdate, seedOf } from '../../../store/engines/embedded/update.ts';
import { type Database, storeOver } from '../../../store/engines/mongo/mongo.ts';
import type { Collection, Cursor, Doc, Filter, Sort, Store, Update } from '../../../store/port.ts';
import { orderOf, testOf } from './matching.ts';
import { bulkRefusal, closed, notThere } from './refusals.ts';
import { type Row, Table } from './table.ts';

/** One step of a call. */
export interface Call {
  readonly table: string;
  readonly method: string;
  readonly isWrite: boolean;
  readonly args: readonly unknown[];
}

/**
 * Controls how one step of a call reaches the server and its response the caller: `apply` runs at one instant in
 * between, or not at all.
 */
export type Passage = <T>(apply: () => T, call: Call) => Promise<T>;
/** Passes calls for one collection to the server. */
type Pass = <T>(apply: () => T, method: string, ...args: readonly unknown[]) => Promise<T>;

const READS: ReadonlySet<string> = new Set(['find', 'findOne', 'countDocuments', 'ping']);

/** Documents in the server's first batch, unless the caller sets a size. */
const FIRST_BATCH = 101;
const NEXT_BATCH = 1_000;
/** Documents that a bulk write changes before other operations get a turn. */
const STEP = 2;

/**
 * A MongoDB server in memory, for tests. It replaces the driver's database below the product's own store over MongoDB
 * (`store/engines/mongo/`) and behaves like a server: each document changes at one instant, bulk writes proceed in
 * steps with other operations in between, long reads come in batches, and calls arrive in any order. The stores'
 * contract suite compares it with a real server. Not simulated: query plans, write conflicts, elections.
 */
export class SimulatedMongo {
  readonly #tables = new Map<string, Table>();
  /** Called at the instant of each change of a document, with null for a missing document before or after. */
  changed: (table: string, before: Row | null, after: Row | null) => void = () => {};

  /** Returns the store as one process sees it. `clock`: delays operations that may be batched with others. */
  store(pass: Passage, clock: Pick<Clock, 'after'>): Store {
    let isClosed = false;
    const passTo =
      (table: string): Pass =>
      async (apply, method, ...args) => {
        if (isClosed) throw closed();
        return pass(apply, { table, method, isWrite: !READS.has(method), args });
      };
    const database: Database = {
      collection: (name) => collectionOf(this.#table(name), passTo(name)),
      command: () => passTo('')(() => ({ ok: 1 }), 'ping'),
    };
    const close = async (): Promise<void> => {
      isClosed = true;
    };
    return storeOver(database, { isAway: () => false, close, clock });
  }

  /** Returns the current documents of a collection, for verdicts. They belong to the server and must not be changed. */
  rows(table: string): readonly Row[] {
    return [...this.#table(table).candidates({})];
  }

  row(table: string, id: string): Row | undefined {
    return this.#table(table).row(id);
  }

  #table(name: string): Table {
    const known = this.#tables.get(name);
    if (known) return known;
    const made = new Table(name, (before, after) => this.changed(name, before, after));
    this.#tables.set(name, made);
    return made;
  }
}

type FindOptions = NonNullable<Parameters<Collection<Row>['find']>[1]>;

function collectionOf(table: Table, pass: Pass): Collection<Row> & ReturnType<Database['collection']> {
  const own: Collection<Row> = {
    ...readingOf(table, pass),
    ...writingOf(table, pass),
    ...writingManyOf(table, pass),
  };
  const indexes: Pick<ReturnType<Database['collection']>, 'createIndexes' | 'dropIndex'> = {
    createIndexes: (all) =>
      pass(() => {
        for (const { key, partialFilterExpression: where, ...index } of all)
          table.createIndex({ ...index, keys: key, ...(where && { where }) });
      }, 'createIndexes'),
    dropIndex: (name) =>
      pass(() => {
        if (!table.hasIndex(name)) throw notThere(name);
        table.dropIndex(name);
      }, 'dropIndex'),
  };
  return Object.assign(own, indexes);
}

function matching(table: Table, filter: Filter, sort?: Sort): Row[] {
  const fits = testOf(filter);
  const found: Row[] = [];
  for (const row of table.candidates(filter)) if (fits(row)) found.push(row);
  return sort ? found.sort(orderOf(sort)) : found;
}

function first(table: Table, filter: Filter, sort?: Sort): Row | undefined {
  if (sort) return matching(table, filter, sort)[0];
  const fits = testOf(filter);
  for (const row of table.candidates(filter)) if (fits(row)) return row;
  return;
}

type Reading = Pick<Collection<Row>, 'find' | 'findOne' | 'countDocuments'>;

function readingOf(table: Table, pass: Pass): Reading {
  return {
    findOne: (filter, { sort, projection } = {}) =>
      pass(
        () => {
          const row = first(table, filter, sort);
          return row ? shown(row, projection) : null;
        },
        'findOne',
        filter,
      ),
    find: (filter, options = {}) => cursorOf(table, pass, filter, options),
    countDocuments: (filter, { limit = Number.POSITIVE_INFINITY } = {}) =>
      pass(() => Math.min(matching(table, filter).length, limit), 'countDocuments', filter),
  };
}

function cursorOf(table: Table, pass: Pass, filter: Filter, options: FindOptions): Cursor<Row> {
  const { sort, skip = 0, limit, projection, batchSize } = options;
  const piece = (rows: readonly Row[]): Row[] => rows.map((row) => shown(row, projection));
  /** The first batch is read at one instant. Documents in later batches may have changed by then. */
  async function* pieces(): AsyncGenerator<Row[], void, undefined> {
    const { begin, rest } = await pass(
      () => {
        const found = matching(table, filter, sort).slice(skip, limit ? skip + limit : undefined);
        const size = batchSize ?? FIRST_BATCH;
        return { begin: piece(found.slice(0, size)), rest: found.slice(size).map(({ _id }) => _id) };
      },
      'find',
      filter,
    );
    yield begin;
    const fits = testOf(filter);
    while (rest.length > 0) {
      const ids = rest.splice(0, batchSize ?? NEXT_BATCH);
      yield await pass(() => piece(ids.flatMap((id) => table.row(id) ?? []).filter(fits)), 'find', filter);
    }
  }
  return {
    async toArray() {
      const all: Row[] = [];
      for await (const some of pieces()) all.push(...some);
      return all;
    },
    async *[Symbol.asyncIterator]() {
      for await (const some of pieces()) yield* some;
    },
  };
}

type Writing = Pick<Collection<Row>, 'insertOne' | 'updateOne' | 'findOneAndUpdate' | 'findOneAndDelete' | 'deleteOne'>;

function writingOf(table: Table, pass: Pass): Writing {
  const remove = (filter: Filter): Row | null => {
    const row = first(table, filter);
    if (row) table.remove(row);
    return row ?? null;
  };
  return {
    insertOne: async (doc) => {
      const row = inserted(doc);
      return pass(
        () => {
          table.insert(row);
          return { insertedId: row._id };
        },
        'insertOne',
        row,
      );
    },
    updateOne: async (filter, given, options) => {
      const update = copied(given);
      return pass(
        () => {
          const row = first(table, filter);
          if (row) return { matchedCount: 1, modifiedCount: rewrite(table, row, update) ? 1 : 0, upsertedCount: 0 };
          if (options?.upsert) upsert(table, filter, update);
          return { matchedCount: 0, modifiedCount: 0, upsertedCount: options?.upsert ? 1 : 0 };
        },
        'updateOne',
        filter,
        update,
      );
    },
    findOneAndUpdate: async (filter, given, options) => {
      const update = copied(given);
      return pass(
        () => {
          const before = first(table, filter, options.sort);
          if (!before && !options.upsert) return null;
          const after = before ? (rewrite(table, before, update) ?? before) : upsert(table, filter, update);
          const shownRow = options.returnDocument === 'after' ? after : before;
          return shownRow ? copied(shownRow) : null;
        },
        'findOneAndUpdate',
        filter,
        update,
      );
    },
    findOneAndDelete: (filter) => pass(() => remove(filter), 'findOneAndDelete', filter),
    deleteOne: (filter) => pass(() => ({ deletedCount: remove(filter) ? 1 : 0 }), 'deleteOne', filter),
  };
}

type WritingMany = Pick<Collection<Row>, 'insertMany' | 'updateMany' | 'deleteMany'>;

function writingManyOf(table: Table, pass: Pass): WritingMany {
  /** Documents that match when the write starts and still match when it reaches them. */
  const each = async (method: string, filter: Filter, write: (row: Row) => void, update?: Update): Promise<void> => {
    const ids = await pass(() => matching(table, filter).map(({ _id }) => _id), method, filter, update);
    const fits = testOf(filter);
    while (ids.length > 0) {
      const some = ids.splice(0, STEP);
      await pass(
        () => {
          for (const row of some.flatMap((id) => table.row(id) ?? [])) if (fits(row)) write(row);
        },
        method,
        filter,
        update,
      );
    }
  };
  return {
    insertMany: async (docs, { ordered = true } = {}) => {
      const rows = docs.map(inserted);
      const refused = new Map<number, Error>();
      let insertedCount = 0;
      for (let from = 0; from < rows.length && !(ordered && refused.size > 0); from += STEP) {
        await pass(
          () => {
            for (const [nth, row] of rows.slice(from, from + STEP).entries()) {
              const refusal = ordered && refused.size > 0 ? null : refusalOf(() => table.insert(row));
              if (refusal) refused.set(from + nth, refusal);
              else if (refusal === undefined) insertedCount += 1;
            }
          },
          'insertMany',
          rows[from],
        );
      }
      if (refused.size > 0) throw bulkRefusal(refused, insertedCount);
      return { insertedCount };
    },
    updateMany: async (filter, given) => {
      const update = copied(given);
      const counts = { matchedCount: 0, modifiedCount: 0 };
      const write = (row: Row): void => {
        counts.matchedCount += 1;
        if (rewrite(table, row, update)) counts.modifiedCount += 1;
      };
      await each('updateMany', filter, write, update);
      return counts;
    },
    deleteMany: async (filter) => {
      let deletedCount = 0;
      await each('deleteMany', filter, (row) => {
        table.remove(row);
        deletedCount += 1;
      });
      return { deletedCount };
    },
  };
}

/** Returns undefined on success. */
function refusalOf(write: () => void): MongoServerError | undefined {
  try {
    write();
    return;
  } catch (cause) {
    if (cause instanceof MongoServerError) return cause;
    throw cause;
  }
}

/** Returns the changed row; undefined if the update has no effect. */
function rewrite(table: Table, row: Row, update: Update): Row | undefined {
  const after = copied(row);
  applyUpdate(after, update, false);
  if (isSame(after, row)) return;
  table.replace(row, after);
  return after;
}

function upsert(table: Table, filter: Filter, update: Update): Row {
  const made = seedOf(copied(filter));
  applyUpdate(made, update, true);
  const row = inserted(made);
  table.insert(row);
  return row;
}

function inserted(doc: Readonly<Record<string, unknown>> | Doc): Row {
  assertStorable(doc, '');
  const { _id, ...others }: Record<string, unknown> = { ...doc };
  if (typeof _id !== 'string') throw new TypeError('a document needs an _id, which is a text');
  return { _id, ...copied(others) };
}

/** Returns the row as a caller receives it. */
function shown(row: Row, projection: FindOptions['projection']): Row;
function shown(row: Row, projection: FindOptions['projection']): unknown {
  // A projection that includes fields does not change the row, so only these fields are copied.
  return namedFields(projection) ? copied(project(row, projection)) : project(copied(row), projection);
}

/** Copies values, so that callers never share objects with the server. */
function copied<V>(value: V): V;
function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copied(item));
  if (!isObject(value)) return value;
  const made: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    // Most values of a document are plain.
    made[key] = typeof item === 'object' ? copied(item) : item;
  }
  return made;
}

/** Compares stored values. As on the server, the order of the fields of an object counts. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((item, nth) => isSame(item, other[nth]));
  if (!isObject(one) || !isObject(other)) return false;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  return keys.length === others.length && keys.every((key, nth) => key === others[nth] && isSame(one[key], other[key]));
}
