import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { MongoClient } from 'mongodb';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import type { Store } from '../../store/port.ts';
import { databasesOf, TEST_RUN } from './databases.ts';
import { madeFileOf } from './made-file.ts';
import { isNight } from './night.ts';
import { shelf } from './shelf.ts';
import { SimulatedMongo } from './simulated-mongo/simulated-mongo.ts';
import { turns, turnsPassage } from './simulated-mongo/turns.ts';
import { usedStore } from './used-store.ts';

/** Registers cleanup for the end of a test; a TestContext is a scope. */
export interface Scope {
  after(end: () => unknown): void;
}

/** A kind of store that tests run against. */
export interface StoreKind {
  readonly name: Store['name'];
  /** Returns an empty store that is removed after the test. */
  fresh(scope: Scope): Promise<Store>;
  /**
   * Returns an empty store that may already be prepared for a gateway, which makes the next start cheap. All writers
   * must have stopped when the scope ends, and collections of other kinds must not be added. Absent: a new store each
   * time.
   */
  used?(scope: Scope): Promise<Store>;
}

const mongoUrl = process.env['MONGODB_URL'];

/** For tests that do not depend on the kind of store. */
export const embedded: StoreKind = {
  name: 'embedded',
  fresh: async (scope) => inFile(scope).store,
  async used(scope) {
    const run = process.env[TEST_RUN];
    if (!run) return embedded.fresh(scope);
    const made = madeFileOf(run);
    const { path, store } = inFile(scope, made.copyTo);
    const prepareItself = store.prepare.bind(store);
    const prepare = async (): Promise<void> => {
      await prepareItself();
      made.makeFrom(path);
    };
    return Object.assign(store, { prepare });
  },
};

function inFile(scope: Scope, begin: (path: string) => void = () => {}): { readonly path: string; readonly store: Store } {
  const directory = mkdtempSync(join(shelf, 'store-'));
  const path = join(directory, 'store.db');
  begin(path);
  // A query that would be slow over many rows fails the test that first issues it.
  const warn = (details: object, message: string): void => {
    if (!isOfTests(details)) throw new Error(`${message}: ${JSON.stringify(details)}`);
  };
  const store = openEmbedded({ path, log: { warn } });
  scope.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return { path, store };
}

/** Whether the collection exists only in tests of the store itself. */
const isOfTests = (details: object): boolean => 'collection' in details && details.collection === 'notes';

/**
 * A busy machine may not respond for five seconds. A gateway would treat the server as gone and retry as time passes,
 * which tests may not allow.
 */
const PATIENCE = { answersWithinMs: 60_000, patienceMs: 60_000 };

const mongodb: StoreKind = {
  name: 'mongodb',
  async fresh(scope) {
    const url = aDatabase(scope);
    const store = await openMongo({ url, ...PATIENCE });
    scope.after(() => store.close());
    return store;
  },
  async used(scope) {
    const run = process.env[TEST_RUN];
    if (!mongoUrl || !run) return mongodb.fresh(scope);
    const databases = databasesOf(mongoUrl, run);
    const { url, prepared } = databases.take();
    const used = usedStore(await openMongo({ url, ...PATIENCE }), prepared);
    scope.after(async () => {
      await used.empty();
      await used.store.close();
      databases.give({ url, prepared: used.prepared() });
    });
    return used.store;
  },
};

/**
 * An in-memory server below the store over MongoDB. Tests see the same behavior as with a real server, for a fifth of
 * the cost. `SIM_SEED` determines which calls overtake each other.
 */
const simulated: StoreKind = {
  name: 'mongodb',
  fresh: async () => new SimulatedMongo().store(turnsPassage(Number(process.env['SIM_SEED'] ?? 1)), turns),
};

/** Stores that survive a process: the embedded one, and the MongoDB server at MONGODB_URL. */
export const realStores: readonly StoreKind[] = mongoUrl ? [embedded, mongodb] : [embedded];
/**
 * Stores for tests that kill processes: both at night, otherwise only the embedded one, whose files remain after a
 * kill. Tests of a cluster of real nodes use a server in any case.
 */
export const storesOfKills: readonly StoreKind[] = isNight ? realStores : [embedded];
/** Engines whose promises are tested. */
export const engines: readonly StoreKind[] = [...realStores, simulated];
const titleOf = (kind: StoreKind): string => (kind === simulated ? 'simulated' : kind.name);
/** STORES: the kinds on which this run executes all its tests. */
const named = process.env['STORES']?.split(',');
/**
 * EMBEDDED_SHARE: one in this many tests runs only on the embedded store, and the others only on the simulated server.
 * Absent: all tests run on both.
 */
const share = process.env['EMBEDDED_SHARE'];

function kindsOf(story: string): readonly StoreKind[] {
  if (named) return engines.filter((kind) => named.includes(titleOf(kind)));
  if (!share) return [embedded, simulated];
  const nth = createHash('sha256').update(story).digest().readUInt32LE() % Number(share);
  return [nth === 0 ? embedded : simulated];
}

if (!mongoUrl) console.log('MONGODB_URL is not set: the runs against a MongoDB server are left out.');

/** Returns a store for a complete gateway, which must be the last to end in its scope. */
export const storeOfGateway = (kind: StoreKind, scope: Scope): Promise<Store> => kind.used?.(scope) ?? kind.fresh(scope);

/**
 * Declares the same tests for each store: the embedded one and the MongoDB double. A full run executes each suite on
 * one of them, a third on the embedded one. A nightly run (`STORES`) executes all on both, and on a server.
 */
export const eachStore = (story: string, tell: (kind: StoreKind) => void): void => each(kindsOf(story), story, tell);

/** Declares tests of a store's promises for each engine, including the double. */
export const eachEngine = (story: string, tell: (kind: StoreKind) => void): void => each(engines, story, tell);

/** Declares tests of behavior that only real stores have. */
export const eachRealStore = (story: string, tell: (kind: StoreKind) => void): void => each(realStores, story, tell);

function each(kinds: readonly StoreKind[], story: string, tell: (kind: StoreKind) => void): void {
  for (const kind of kinds) describe(`${story} (${titleOf(kind)})`, () => tell(kind));
}

/**
 * Returns a scope that cleans up in reverse order, because later things depend on earlier ones; a TestContext cleans
 * up in order. Also releases references: node:test keeps its cleanup functions, and thereby each gateway of a hundred
 * tests, until the process ends.
 */
export function lastFirst(scope: Scope): Scope {
  const endings: (() => unknown)[] = [];
  scope.after(async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  });
  return { after: (end) => void endings.push(end as () => unknown) };
}

/** For programs other than tests: cleans the scope up when the work has ended. */
export async function scoped<T>(work: (scope: Scope) => Promise<T>): Promise<T> {
  const endings: (() => unknown)[] = [];
  try {
    return await work({ after: (end) => void endings.push(end as () => unknown) });
  } finally {
    for (const end of endings) await end();
  }
}

/** Returns an empty directory that is removed after the test. */
export function aDirectory(scope: Scope): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-'));
  scope.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Returns the address of a new database that is dropped after the test. Needs MONGODB_URL. */
export function aDatabase(scope: Scope): string {
  const url = new URL(mongoUrl ?? '');
  url.pathname = `/test_${randomBytes(6).toString('hex')}`;
  scope.after(() => dropped(url.href));
  return url.href;
}

async function dropped(url: string): Promise<void> {
  const client = await MongoClient.connect(url);
  await client.db().dropDatabase();
  await client.close();
}
