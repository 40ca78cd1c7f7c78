import { type CommandOperationOptions, type DbOptions, MongoClient, MongoNetworkError, MongoServerError, ReadConcern } from 'mongodb';
import { type Clock, systemClock } from '../../../runtime/clock.ts';
import type { Collection, CollectionSpec, Doc, Filter, IndexSpec, Store, Update } from '../../port.ts';
import { ConflictRetry } from './after-conflict.ts';
import { heedClosedSockets } from './closed-sockets.ts';
import { Insertions } from './insertions.ts';
import { idsOf, PointReads } from './point-reads.ts';
import { Reach } from './reach.ts';

const ANSWERS_WITHIN_MS = 5_000;
/** A new primary is there after some ten seconds. Whoever has to store something until then, as a device that is online, waits for it. */
const PATIENCE_MS = 20_000;
const HEARTBEAT_MS = 2_000;
/** A burst opens up to 100 connections, and the server keeps memory for each. */
const IDLE_CONNECTION_MS = 60_000;
/** A flow that a router has forgotten would otherwise keep who waits on it for a quarter of an hour: the heartbeat has its own. */
const SILENT_CONNECTION_MS = 60_000;
/** Collections whose indexes are made at once: a server far away would otherwise keep a node waiting for dozens of answers in turn. */
const PREPARED_BATCH_SIZE = 8;

/** A collection in which nothing was over is swept again so much later: in most of them nothing is, for hours. */
const QUIET_MS = 5 * 60_000;

/** Of the database rather than the client: the URL's options replace parts of a client's. */
const CONCERNS: DbOptions = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: new ReadConcern('local'),
  readPreference: 'primary',
};

/**
 * For work whose length nobody knows beforehand: such an operation waits until the network gives its connection up. The server would drop an index that
 * it builds for a client which has gone, and go on with the writes. That the driver takes this for a single operation is not in its types.
 */
const UNBOUNDED: CommandOperationOptions & { readonly socketTimeoutMS: number } = { socketTimeoutMS: 0 };

export interface MongoOptions {
  /** A connection string; the database is the one it names. */
  readonly url: string;
  /** How long a server may take to answer before it counts as gone, and may be gone before the store is away. Default: 5,000. */
  readonly answersWithinMs?: number;
  /** How long an operation waits for a server where there is none. Default: 20,000. */
  readonly patienceMs?: number;
  /** A connection that was not used for so long is closed. Default: 60,000. */
  readonly idleConnectionMs?: number;
  /**
   * A connection on which an operation has waited for so long is closed. Reads, and on a replica set writes of one document, are then tried once more on
   * another one, and reject when that falls silent, too. Not for indexes and writes of any number of rows. Default: 60,000.
   */
  readonly silentConnectionMs?: number;
  /** Learns of each command that the server is asked for, for tests and benchmarks. */
  readonly asked?: (command: string, collection: string, whole: Readonly<Record<string, unknown>>) => void;
}

/**
 * A store in MongoDB. Resolves when the server answers, rejects after 20 s (`patienceMs`) when it does not; later on too an operation
 * rejects (see `isUnavailable`) when no server is found for so long. Collections are the driver's own; `prepare` creates their indexes.
 */
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
    // A server that stops answering is noticed by its heartbeat, which also ends the operations that wait for it.
    heartbeatFrequencyMS: HEARTBEAT_MS,
    // Longer than it takes to notice that: who waits for a connection to that server waits for another server then.
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

/** A database as far as the store uses it: the driver's is one, and so is a double of the server. */
export interface Database {
  /** Its other members are those of the driver's collections. */
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
  /** Of what is asked together. Default: the system's. */
  readonly clock?: Pick<Clock, 'after'>;
}

/** A store in a database that is there already. */
export const storeOver = (database: Database, { isAway, close, clock = systemClock }: Surroundings): Store =>
  new MongoStore(database, isAway, close, clock);

/** The driver's, as far as the port does not show it. */
interface DriverCollection<T extends Doc> extends Collection<T> {
  updateMany(filter: Filter, update: Update, options?: CommandOperationOptions): ReturnType<Collection<T>['updateMany']>;
  deleteMany(filter: Filter, options?: CommandOperationOptions): ReturnType<Collection<T>['deleteMany']>;
}

/**
 * Documents that the server sends together of a list that is read piece by piece. The driver keeps all of them in memory, and a document may have
 * 200 KB; a list of the default length (50, and one more) takes two pieces.
 */
const PIECE = 26;

type Asked = Parameters<Collection<Doc>['find']>[1];

const inPieces = (options: Asked): Asked => (options?.limit ? { batchSize: PIECE, ...options } : options);

/** Rows that are named are few. */
const boundOf = (filter: Filter): CommandOperationOptions => ('_id' in filter ? {} : UNBOUNDED);

/**
 * The collection, with what callers ask at about the same time asked together (documents by their ids, new documents), and writes of one document
 * tried again after a conflict.
 */
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
      // Of several some may be there: asked for again they would be refused by themselves.
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

/** Whose document a write is about, as far as the document or the filter says so. */
function ownerOf(about: object): string {
  const { tenant_id, _id }: { tenant_id?: unknown; _id?: unknown } = about;
  if (typeof tenant_id === 'string') return tenant_id;
  return typeof _id === 'string' ? _id : '';
}

/** NamespaceNotFound, IndexNotFound. */
const NOT_THERE: ReadonlySet<number | string> = new Set([26, 27]);

class MongoStore implements Store {
  readonly name = 'mongodb';
  readonly isAway: () => boolean;
  readonly close: () => Promise<void>;
  readonly #db: Database;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #specs = new Map<string, CollectionSpec>();
  /** When a sweep found nothing, by collection. */
  readonly #quietSince = new Map<string, number>();

  constructor(database: Database, isAway: () => boolean, close: () => Promise<void>, clock: Pick<Clock, 'after'>) {
    this.isAway = isAway;
    this.close = close;
    this.#db = database;
    this.#clock = clock;
  }

  collection<T extends Doc>(spec: CollectionSpec): Collection<T> {
    this.#specs.set(spec.name, spec);
    // For every concrete T the driver's collection is assignable as it is (test/store/engines/driver-fits.test.ts); for an open T the compiler cannot tell.
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
      // A clock that was set back says nothing.
      if (!expires || (since <= now && now < since + QUIET_MS)) continue;
      const { deletedCount } = await this.#db.collection(name).deleteMany({ [expires]: { $lte: now } }, UNBOUNDED);
      if (deletedCount === 0) this.#quietSince.set(name, now);
      else this.#quietSince.delete(name);
      swept += deletedCount;
    }
    return swept;
  }

  /** One that is not there any more was dropped by another node, or never made. */
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
