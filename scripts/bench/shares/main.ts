import { join } from 'node:path';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import { scratchDirectory } from '../scratch.ts';
import { POOLS } from './pools.ts';
import { runShare } from './run.ts';
import { openWorld } from './world.ts';

const env = process.env;
const RUN = {
  ...{ asks: Number(env['ASKS'] ?? 150), rounds: 3, withinMs: 15_000 },
  ...{ copies: Number(env['COPIES'] ?? 40), againMs: 1_000, onThreads: true },
};
const ROWS = 5_000;
/** Largest allowed ratio of the quiet tenant's p99 during the flood to its p99 alone. */
const GOAL = 3;

async function main(): Promise<void> {
  const directory = scratchDirectory();
  const mongo = env['MONGODB_URL'];
  const store = mongo ? await openMongo({ url: databaseOf(mongo) }) : openEmbedded({ path: join(directory, 'gateway.db') });
  const world = await openWorld({ store, directory, contacts: ROWS, messages: ROWS, many: 1_000 });
  let isPassed = true;
  const line = (...cells: readonly (string | number)[]): void => {
    const [name = '', ...figures] = cells.map(String);
    process.stdout.write(`${name.padEnd(18)}${figures.map((figure) => figure.padStart(12)).join('')}\n`);
  };
  process.stdout.write(`the quiet tenant on ${store.name}, ms: median/p99\n`);
  line('pool', 'alone', 'beside', 'ratio of p99', 'denied', 'overtaken', 'flood', 'refused');
  for (const pool of POOLS.filter(({ name }) => !env['POOL'] || env['POOL'].split(',').includes(name))) {
    const { alone, beside, denied, overtaken, flood } = await runShare(world, pool, RUN);
    const ratio = beside.p99 / Math.max(1, alone.p99);
    const isMissed = denied > 0 || ratio > GOAL;
    isPassed &&= !isMissed;
    const times = [alone, beside].map(({ median, p99 }) => `${median}/${p99}`);
    line(pool.name, ...times, ratio.toFixed(1), denied, overtaken, flood.served, flood.refused, ...(isMissed ? ['MISSED'] : []));
  }
  await world.close();
  await store.close();
  process.stdout.write(`${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

function databaseOf(mongo: string): string {
  const url = new URL(mongo);
  url.pathname = `/shares_${process.pid}`;
  return url.href;
}

await main();
