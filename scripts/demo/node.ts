import { plansFrom } from '../../actors/domain/plans.ts';
import { type Config, readConfig } from '../wiring/config.ts';
import { startNode } from '../wiring/node.ts';
import { exitOnSignal, fail } from '../wiring/shutdown.ts';
import { connectStore } from './shared-store-client.ts';

const MANY = 1_000_000;
const UNLIMITED = { free: { devices: MANY, messages: MANY, send_per_minute: MANY, key_cap: MANY } };

/**
 * A node of the demonstration: like any other, but with SHARED_STORE (a port of shared-store.ts) in place of MONGODB_URL where that is not
 * set, and without the limits of plans. Tells its parent `{url}` when it listens, and goes with it.
 */
async function main(): Promise<void> {
  process.on('disconnect', () => process.exit(1));
  const port = Number(process.env['SHARED_STORE'] ?? 0);
  const starting = startNode(configOf(process.env), port > 0 ? { store: await connectStore(port) } : {});
  exitOnSignal(starting);
  process.send?.({ url: (await starting).url });
}

/** That the nodes of a cluster share a store is seen to here, so REDIS_URL goes without MONGODB_URL. */
function configOf({ REDIS_URL = '', ...env }: NodeJS.ProcessEnv): Config {
  return { ...readConfig(env), redis_url: REDIS_URL, plans: plansFrom(UNLIMITED) };
}

await main().catch(fail);
