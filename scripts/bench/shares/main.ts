import { join } from 'node:path';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import { scratchDirectory } from '../scratch.ts';
import { POOLS } from './pools.ts';
import { runShare } from './run.ts';
import { openWorld } from './world.ts';

const env = process.env;
const ASKS = Number(env['ASKS'] ?? 100);
const COPIES = Number(env['COPIES'] ?? 40);
const CONTACTS = 20_000;
const AGAIN_MS = 1_000;
/** The quiet tenant's p99 beside the flood, to its own alone. */
const GOAL = 3;

/** `npm run faults:shares`: one tenant floods each pool that all tenants share, and another asks it for little. */
async function main(): Promise<void> {
  const directory = scratchDirectory();
  const mongo = env['MONGODB_URL'];
  const store = mongo ? await openMongo({ url: databaseOf(mongo) }) : openEmbedded({ path: join(directory, 'gateway.db') });
  const world = await openWorld({ store, directory, contacts: CONTACTS, many: 1_000 });
  let isPassed = true;
  for (const pool of POOLS.filter(({ name }) => !env['POOL'] || name === env['POOL'])) {
    const { alone, beside, denied, overtaken, flood } = await runShare(world, pool, { asks: ASKS, copies: COPIES, againMs: AGAIN_MS });
    const ratio = beside.p99 / Math.max(1, alone.p99);
    isPassed &&= denied === 0 && ratio <= GOAL;
    process.stdout.write(`${pool.name}: p99 ${ratio.toFixed(1)} times alone${ratio > GOAL ? ' (MISSED)' : ''}\n`);
    process.stdout.write(`  ${JSON.stringify({ alone, beside, denied, overtaken, flood })}\n`);
  }
  await world.close();
  await store.close();
  process.stdout.write(`${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

/** A fresh one each time. */
function databaseOf(mongo: string): string {
  const url = new URL(mongo);
  url.pathname = `/shares_${process.pid}`;
  return url.href;
}

await main();
