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

/** What has to be let go of when a test is over; a TestContext is one. */
export interface Scope {
  after(end: () => unknown): void;
}

/** One kind of store that tests run against. */
export interface StoreKind {
  readonly name: Store['name'];
  /** An empty store, gone with the test. */
  fresh(scope: Scope): Promise<Store>;
  /**
   * An empty store that may have been prepared for a whole gateway before, which makes the next start cheap. For who has stopped everything
   * that writes to it when the scope ends, and adds no collection of its own. Absent: a new one each time.
   */
  used?(scope: Scope): Promise<Store>;
}

const mongoUrl = process.env['MONGODB_URL'];

/** For stories that no store changes. */
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
  // A query that is slow over many rows fails here, in whichever test asks it first.
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

/** A collection that only a test of the store itself has. */
const isOfTests = (details: object): boolean => 'collection' in details && details.collection === 'notes';

/** A machine that is busy for five seconds is not a server that is gone, as a gateway would have it: it asks again as time passes, which it may not. */
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

/** A server in memory below the store over MongoDB: what a story sees of it is what it sees of a server, for a fifth of the cost. `SIM_SEED` chooses which calls overtake which. */
const simulated: StoreKind = {
  name: 'mongodb',
  fresh: async () => new SimulatedMongo().store(turnsPassage(Number(process.env['SIM_SEED'] ?? 1)), turns),
};

/** Stores that outlive a process: the embedded one, and a MongoDB server where MONGODB_URL says which. */
export const realStores: readonly StoreKind[] = mongoUrl ? [embedded, mongodb] : [embedded];
/** Of processes that are killed: both at night, and for each change the one whose files they leave behind. A cluster of real nodes dies on a server all the same. */
export const storesOfKills: readonly StoreKind[] = isNight ? realStores : [embedded];
/** What a store promises is asked of each of them. */
export const engines: readonly StoreKind[] = [...realStores, simulated];
const titleOf = (kind: StoreKind): string => (kind === simulated ? 'simulated' : kind.name);
/** STORES: what this run tells all its stories of. */
const named = process.env['STORES']?.split(',');
/** EMBEDDED_SHARE: one of so many stories is told of the embedded store alone, and the others of the simulated server alone. Absent: all of both. */
const share = process.env['EMBEDDED_SHARE'];

function kindsOf(story: string): readonly StoreKind[] {
  if (named) return engines.filter((kind) => named.includes(titleOf(kind)));
  if (!share) return [embedded, simulated];
  const nth = createHash('sha256').update(story).digest().readUInt32LE() % Number(share);
  return [nth === 0 ? embedded : simulated];
}

if (!mongoUrl) console.log('MONGODB_URL is not set: the runs against a MongoDB server are left out.');

/** A store for a whole gateway, whose scope ends it last. */
export const storeOfGateway = (kind: StoreKind, scope: Scope): Promise<Store> => kind.used?.(scope) ?? kind.fresh(scope);

/**
 * Tells the same story of each store: the embedded one and the double of a MongoDB server. A run of all tests tells each story of one of them, a third of the
 * embedded one; a run of the night (`STORES`) tells all of both, and of a server.
 */
export const eachStore = (story: string, tell: (kind: StoreKind) => void): void => each(kindsOf(story), story, tell);

/** Tells what a store promises of each engine, and of the double of one. */
export const eachEngine = (story: string, tell: (kind: StoreKind) => void): void => each(engines, story, tell);

/** Tells a story of what only real stores do. */
export const eachRealStore = (story: string, tell: (kind: StoreKind) => void): void => each(realStores, story, tell);

function each(kinds: readonly StoreKind[], story: string, tell: (kind: StoreKind) => void): void {
  for (const kind of kinds) describe(`${story} (${titleOf(kind)})`, () => tell(kind));
}

/**
 * A scope whose endings are in reverse order, as things stand on each other; a TestContext ends what was first first. What has ended is let go of:
 * node:test holds what it runs after a test for as long as the process, and with it would be each gateway of a hundred tests.
 */
export function lastFirst(scope: Scope): Scope {
  const endings: (() => unknown)[] = [];
  scope.after(async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  });
  return { after: (end) => void endings.push(end as () => unknown) };
}

/** For programs that are no tests: what the scope holds is let go of when the work is over. */
export async function scoped<T>(work: (scope: Scope) => Promise<T>): Promise<T> {
  const endings: (() => unknown)[] = [];
  try {
    return await work({ after: (end) => void endings.push(end as () => unknown) });
  } finally {
    for (const end of endings) await end();
  }
}

/** An empty directory, removed after the test. */
export function aDirectory(scope: Scope): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-'));
  scope.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The address of a database that does not exist yet, dropped after the test. Needs MONGODB_URL. */
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
