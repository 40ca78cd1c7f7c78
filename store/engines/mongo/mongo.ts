import { type CommandOperationOptions, type DbOptions, MongoClient, MongoNetworkError, MongoServerError, ReadConcern } from 'mongodb';
import { type Clock, systemClock } from '../../../runtime/clock.ts';
import type { Collection, CollectionSpec, Doc, Filter, IndexSpec, Store, Update } from '../../port.ts';
import { ConflictRetry } from './after-conflict.ts';
import { heedClosedSockets } from './closed-sockets.ts';
import { Insertions } from './insertions.ts';
import { idsOf, PointReads } from './point-reads.ts';
import { Reach } from './reach.ts';

const ANSWERS_WITHIN_MS = 5_000;
/** How long operations wait for the election of a new primary, which takes about ten seconds. */
const PATIENCE_MS = 20_000;
const HEARTBEAT_MS = 2_000;
/** Idle connections are closed, because a burst opens up to 100 and each one uses server memory. */
const IDLE_CONNECTION_MS = 60_000;
/** Without this limit, a connection dropped by a router would block for a quarter of an hour. */
const SILENT_CONNECTION_MS = 60_000;
/** Number of collections prepared together; one at a time would cost dozens of round trips. */
const PREPARED_BATCH_SIZE = 8;

const QUIET_MS = 5 * 60_000;

/** Concerns are set for the database, because options in the URL replace parts of the client's concerns. */
const CONCERNS: DbOptions = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: new ReadConcern('local'),
  readPreference: 'primary',
};

/** No timeout, because a disconnect aborts an index build. The driver's types lack this option. */
const UNBOUNDED: CommandOperationOptions & { readonly socketTimeoutMS: number } = { socketTimeoutMS: 0 };

export interface MongoOptions {
  readonly url: string;
  /** Connection timeout. A store that is silent for this long is reported as unreachable. */
  readonly answersWithinMs?: number;
  readonly patienceMs?: number;
  readonly idleConnectionMs?: number;
  /** A connection silent for this long is closed. Reads and single-document writes are retried once. */
  readonly silentConnectionMs?: number;
  readonly asked?: (command: string, collection: string, whole: Readonly<Record<string, unknown>>) => void;
}

export async function openMongo({
  url,
  asked,
  answersWithinMs = ANSWERS_WITHIN_MS,
  patienceMs = PATIENCE_MS,
  idleConnectionMs = IDLE_CONNECTION_MS,
  silentConnectionMs = SILENT_CONNECTION_MS,
}: MongoOptions): Promise<Store> {
  heedClosedSockets();
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: patienceMs,
    connectTimeoutMS: answersWithinMs,
    // The heartbeat detects a server that stops responding and fails operations that wait for it.
    heartbeatFrequencyMS: HEARTBEAT_MS,
    // Longer than the heartbeat needs, so that a waiting caller switches to another server.
    waitQueueTimeoutMS: answersWithinMs + 2 * HEARTBEAT_MS,
    maxIdleTimeMS: idleConnectionMs,
    socketTimeoutMS: silentConnectionMs,
    monitorCommands: asked !== undefined,
  });
  if (asked) client.on('commandStarted', ({ commandName, command }) => asked(commandName, String(command[commandName]), command));
  const reach = new Reach(client, systemClock);
  try {
    await client.connect();
  } catch (cause) {
    await client.close();
    throw cause;
  }
  return storeOver(client.db(undefined, CONCERNS), { isAway: () => reach.isLostFor(answersWithinMs), close: () => client.close() });
}

export interface Database {
  collection(name: string): DatabaseCollection;
  command(command: { readonly ping: 1 }): Promise<unknown>;
}

interface DatabaseCollection {
  createIndexes(indexes: DatabaseIndex[], options?: CommandOperationOptions): Promise<unknown>;
  dropIndex(name: string, options?: CommandOperationOptions): Promise<unknown>;
  deleteMany(filter: Filter, options?: CommandOperationOptions): Promise<{ deletedCount: number }>;
}

interface DatabaseIndex {
  readonly name: string;
  readonly key: Record<string, 1 | -1>;
  readonly unique: boolean;
  readonly partialFilterExpression?: Filter;
}

interface Surroundings {
  readonly isAway: () => boolean;
  readonly close: () => Promise<void>;
  readonly clock?: Pick<Clock, 'after'>;
}

export const storeOver = (database: Database, { isAway, close, clock = systemClock }: Surroundings): Store =>
  new MongoStore(database, isAway, close, clock);

interface DriverCollection<T extends Doc> extends Collection<T> {
  updateMany(filter: Filter, update: Update, options?: CommandOperationOptions): ReturnType<Collection<T>['updateMany']>;
  deleteMany(filter: Filter, options?: CommandOperationOptions): ReturnType<Collection<T>['deleteMany']>;
}

/** Number of documents in one server batch. The driver keeps them in memory, and each may be 200 KB. */
const PIECE = 26;

type Asked = Parameters<Collection<Doc>['find']>[1];

const inPieces = (options: Asked): Asked => (options?.limit ? { batchSize: PIECE, ...options } : options);

const boundOf = (filter: Filter): CommandOperationOptions => ('_id' in filter ? {} : UNBOUNDED);

function together<T extends Doc>(collection: DriverCollection<T>, spec: CollectionSpec, clock: Pick<Clock, 'after'>): Collection<T> {
  const conflicts = new ConflictRetry();
  const insertions = new Insertions<T>(collection, clock);
  const points = new PointReads<T>(spec, (ids) => collection.find({ _id: { $in: ids } }).toArray(), clock);
  const again = <R>([about]: readonly [T | Filter, ...unknown[]], write: () => Promise<R>): Promise<R> =>
    conflicts.run(ownerOf(about), write);
  const own: Omit<Collection<T>, 'countDocuments'> = {
    find(filter, options) {
      const ids = options ? undefined : idsOf(filter);
      return {
        toArray: () => (ids ? points.few(ids) : collection.find(filter, options).toArray()),
        [Symbol.asyncIterator]: () => collection.find(filter, inPieces(options))[Symbol.asyncIterator](),
      };
    },
    findOne: (filter, options) => (options ? undefined : points.first(filter)) ?? collection.findOne(filter, options),
    insertOne: (doc) => again([doc], () => insertions.insert(doc)),
    insertMany(docs, options) {
      const insert = (): Promise<{ insertedCount: number }> => collection.insertMany(docs, options);
      const [only, ...others] = docs;
      // Only the insert of a single document is tried again, because some of several documents may
      // already be stored.
      return only && others.length === 0 ? again([only], insert) : insert();
    },
    updateOne: (...asked) => again(asked, () => collection.updateOne(...asked)),
    findOneAndUpdate: (...asked) => again(asked, () => collection.findOneAndUpdate(...asked)),
    findOneAndDelete: (...asked) => again(asked, () => collection.findOneAndDelete(...asked)),
    deleteOne: (...asked) => again(asked, () => collection.deleteOne(...asked)),
    updateMany: (filter, update) => collection.updateMany(filter, update, boundOf(filter)),
    deleteMany: (filter) => collection.deleteMany(filter, boundOf(filter)),
  };
  const base: Collection<T> = Object.create(collection);
  return Object.assign(base, own);
}

function ownerOf(about: object): string {
  const { tenant_id, _id }: { tenant_id?: unknown; _id?: unknown } = about;
  if (typeof tenant_id === 'string') return tenant_id;
  return typeof _id === 'string' ? _id : '';
}

const NOT_THERE: ReadonlySet<number | string> = new Set([26, 27]);

class MongoStore implements Store {
  readonly name = 'mongodb';
  readonly isAway: () => boolean;
  readonly close: () => Promise<void>;
  readonly #db: Database;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #specs = new Map<string, CollectionSpec>();
  readonly #quietSince = new Map<string, number>();

  constructor(database: Database, isAway: () => boolean, close: () => Promise<void>, clock: Pick<Clock, 'after'>) {
    this.isAway = isAway;
    this.close = close;
    this.#db = database;
    this.#clock = clock;
  }

  collection<T extends Doc>(spec: CollectionSpec): Collection<T> {
    this.#specs.set(spec.name, spec);
    // The compiler cannot verify this cast for a generic T. test/store/engines/driver-fits.test.ts
    // does.
    return together(this.#db.collection(spec.name) as unknown as DriverCollection<T>, spec, this.#clock);
  }

  async prepare(): Promise<void> {
    const specs = [...this.#specs.values()];
    const worker = async (): Promise<void> => {
      for (let spec = specs.pop(); spec; spec = specs.pop()) {
        await this.#dropRetired(spec);
        await this.#createIndexes(spec);
      }
    };
    await Promise.all(Array.from({ length: PREPARED_BATCH_SIZE }, worker));
  }

  async ping(): Promise<void> {
    if (this.isAway()) throw new MongoNetworkError('no server is found');
    await this.#db.command({ ping: 1 });
  }

  async sweep(now: number): Promise<number> {
    let swept = 0;
    for (const { name, expires } of this.#specs.values()) {
      const since = this.#quietSince.get(name) ?? Number.NEGATIVE_INFINITY;
      // Ignores a recorded time in the future, which means that the clock was set back.
      if (!expires || (since <= now && now < since + QUIET_MS)) continue;
      const { deletedCount } = await this.#db.collection(name).deleteMany({ [expires]: { $lte: now } }, UNBOUNDED);
      if (deletedCount === 0) this.#quietSince.set(name, now);
      else this.#quietSince.delete(name);
      swept += deletedCount;
    }
    return swept;
  }

  /** Ignores a missing index, which was never created or which another node has dropped. */
  async #dropRetired({ name, retired = [], indexes }: CollectionSpec): Promise<void> {
    for (const index of retired) {
      if (indexes.some((one) => one.name === index)) throw new TypeError(`index ${index} of ${name} is both wanted and retired`);
      await this.#db
        .collection(name)
        .dropIndex(index, UNBOUNDED)
        .catch((cause) => {
          if (!(cause instanceof MongoServerError) || !NOT_THERE.has(cause.code ?? 0)) throw cause;
        });
    }
  }

  async #createIndexes({ name, indexes, expires }: CollectionSpec): Promise<void> {
    const expiry: readonly IndexSpec[] = expires
      ? [{ name: 'expiry', keys: { [expires]: 1 }, where: { [expires]: { $exists: true } } }]
      : [];
    const all = [...indexes, ...expiry].map(({ name, keys, unique = false, where }) => ({
      name,
      key: { ...keys },
      unique,
      ...(where && { partialFilterExpression: where }),
    }));
    if (all.length > 0) await this.#db.collection(name).createIndexes(all, UNBOUNDED);
  }
}
