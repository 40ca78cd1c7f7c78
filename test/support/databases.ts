import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';

/** Environment variable that identifies a test run; its files share databases. */
export const TEST_RUN = 'TEST_RUN';

/** An empty database. */
interface Database {
  readonly url: string;
  /** Collections that already have their indexes. */
  readonly prepared: readonly string[];
}

/**
 * Prepared databases of a run for reuse: creating a gateway's collections and indexes costs a server more than most
 * tests do.
 */
interface Databases {
  /** Returns a free database, or creates one. */
  take(): Database;
  /** Returns an emptied database for reuse. It must no longer be written to. */
  give(database: Database): void;
  begin(): void;
  /** Drops all databases of the run. */
  end(): Promise<void>;
}

/**
 * Returns the databases on this server. Test files are separate processes, so each free database is a file, which only
 * one of them can remove.
 */
export function databasesOf(server: string, run: string): Databases {
  const prefix = `test_${run}_`;
  const free = join(tmpdir(), `${prefix}free`);
  const named = (name: string): string => Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return {
    take() {
      for (const name of readdirSync(free)) {
        const prepared = taken(join(free, name));
        if (prepared !== null) return { url: named(name), prepared };
      }
      return { url: named(prefix + randomBytes(4).toString('hex')), prepared: [] };
    },
    give: ({ url, prepared }) => writeFileSync(join(free, new URL(url).pathname.slice(1)), JSON.stringify(prepared)),
    begin: () => void mkdirSync(free),
    async end() {
      rmSync(free, { recursive: true });
      const client = await MongoClient.connect(server);
      const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
      for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
      await client.close();
    },
  };
}

/** Removes the file and returns its content; null if another process was first. */
function taken(file: string): readonly string[] | null {
  try {
    const prepared = JSON.parse(readFileSync(file, 'utf8'));
    unlinkSync(file);
    return prepared;
  } catch {
    return null;
  }
}
