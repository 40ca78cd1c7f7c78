import { plansFrom } from '../../actors/domain/plans.ts';
import { type Config, readConfig } from '../wiring/config.ts';
import { startNode } from '../wiring/node.ts';
import { exitOnSignal, fail } from '../wiring/shutdown.ts';
import { connectStore } from './shared-store-client.ts';

const MANY = 1_000_000;
const UNLIMITED = { free: { devices: MANY, messages: MANY, send_per_minute: MANY, key_cap: MANY } };

/** SHARED_STORE: port of the shared store (shared-store.ts); if unset, the node opens its own. */
async function main(): Promise<void> {
  process.on('disconnect', () => process.exit(1));
  const port = Number(process.env['SHARED_STORE'] ?? 0);
  const starting = startNode(configOf(process.env), port > 0 ? { store: await connectStore(port) } : {});
  exitOnSignal(starting);
  process.send?.({ url: (await starting).url });
}

/** The nodes share a store, so REDIS_URL is allowed without MONGODB_URL. */
function configOf({ REDIS_URL = '', ...env }: NodeJS.ProcessEnv): Config {
  return { ...readConfig(env), redis_url: REDIS_URL, plans: plansFrom(UNLIMITED) };
}

await main().catch(fail);
