import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';

/** The variable that names a run of several test files; who shares databases does so within it. */
export const TEST_RUN = 'TEST_RUN';

/** Prepared databases of a run, free to be used again: a gateway's collections and indexes cost a server more than most stories do. */
interface Databases {
  /** The address of an empty database: one that was given back, else of a new name. */
  take(): Promise<string>;
  /** Empties it, for the next. Nobody may write to it any more. */
  give(url: string): Promise<void>;
  /** Drops them all. */
  drop(): Promise<void>;
}

interface Free {
  readonly _id: string;
}

/** Those on the server at this address. Files of a run are processes of their own, so what is free is written there. */
export function databasesOf(server: string, run: string): Databases {
  const prefix = `test_${run}_`;
  const connected = async <T>(work: (client: MongoClient) => Promise<T>): Promise<T> => {
    const client = await MongoClient.connect(server);
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };
  const free = (client: MongoClient) => client.db(`${prefix}free`).collection<Free>('free');
  const named = (name: string): string => Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return {
    take: async () =>
      named((await connected((client) => free(client).findOneAndDelete({})))?._id ?? prefix + randomBytes(4).toString('hex')),
    give: (url) =>
      connected(async (client) => {
        const name = new URL(url).pathname.slice(1);
        const collections = await client.db(name).collections();
        await Promise.all(collections.map((collection) => collection.deleteMany({})));
        await free(client).insertOne({ _id: name });
      }),
    drop: () =>
      connected(async (client) => {
        const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
        for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
      }),
  };
}
