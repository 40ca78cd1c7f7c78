import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { present } from '../../runtime/invariant.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import type { Store } from '../../store/port.ts';

export interface AskedCommands {
  readonly commands: number;
  readonly byName: ReadonlyMap<string, number>;
}

export interface ScratchMongo {
  readonly store: Store;
  /** A second connection whose commands are not counted. */
  readonly looking: Store;
  count(): void;
  asked(): AskedCommands;
  drop(): Promise<void>;
}

export async function openScratchMongo(): Promise<ScratchMongo> {
  const url = new URL(present(process.env['MONGODB_URL'], 'MONGODB_URL'));
  url.pathname = `/bench_${randomBytes(4).toString('hex')}`;
  let counted: Map<string, number> | null = null;
  const asked = (command: string, collection: string): void => {
    const name = `${command} ${collection}`;
    counted?.set(name, (counted.get(name) ?? 0) + 1);
  };
  const [store, looking] = await Promise.all([openMongo({ url: url.href, asked }), openMongo({ url: url.href })]);
  return {
    store,
    looking,
    count() {
      counted = new Map();
    },
    asked() {
      const byName = counted ?? new Map<string, number>();
      counted = null;
      return { byName, commands: [...byName.values()].reduce((sum, times) => sum + times, 0) };
    },
    drop: async () => void (await (await MongoClient.connect(url.href)).db().dropDatabase()),
  };
}
