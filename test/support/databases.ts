import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';

/** The variable that names a run of several test files; who shares databases does so within it. */
export const TEST_RUN = 'TEST_RUN';

/** An empty database. */
interface Database {
  readonly url: string;
  /** Collections that have their indexes already. */
  readonly prepared: readonly string[];
}

/** Prepared databases of a run, free to be used again: a gateway's collections and indexes cost a server more than most stories do. */
interface Databases {
  /** One that was given back, else a new one. */
  take(): Database;
  /** Of who emptied it, for the next. Nobody may write to it any more. */
  give(database: Database): void;
  begin(): void;
  /** Drops them all. */
  end(): Promise<void>;
}

/** Those on the server at this address. Files of a run are processes of their own, so what is free is a file each, which only one of them can remove. */
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

/** What the file says, which is gone; null: another process was first. */
function taken(file: string): readonly string[] | null {
  try {
    const prepared = JSON.parse(readFileSync(file, 'utf8'));
    unlinkSync(file);
    return prepared;
  } catch {
    return null;
  }
}
