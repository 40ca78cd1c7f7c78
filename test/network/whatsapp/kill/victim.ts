import { plansFrom } from '../../../../actors/plans.ts';
import { type Config, readConfig } from '../../../../scripts/config.ts';
import { interpose } from '../../../../scripts/faults/interpose.ts';
import { startNode } from '../../../../scripts/node.ts';
import type { Store } from '../../../../store/collection.ts';
import { openEmbedded } from '../../../../store/embedded.ts';
import { openMongo } from '../../../../store/mongo.ts';
import { Failpoint, watchWire } from './failpoint.ts';

const MANY = 1_000_000_000;
const READS = /^(find|findOne|countDocuments|ping|sweep)$/;

/** A gateway on the real network's driver that kills itself at the n-th pass of a point, told by IPC; it tells its parent `{url}`. */
async function main(): Promise<void> {
  const config: Config = {
    ...readConfig(process.env),
    plans: plansFrom({ free: { messages: MANY, send_per_minute: MANY, key_cap: MANY } }),
  };
  const failpoint = new Failpoint();
  process.on('message', (order) => failpoint.arm(String(order)));
  process.on('disconnect', () => process.exit(1));
  watchWire(failpoint);
  const node = await startNode(config, { store: watched(await storeOf(config), failpoint) });
  process.send?.({ url: node.url });
}

/** Every write of the store, those of the secrets apart from the others. */
function watched(store: Store, failpoint: Failpoint): Store {
  return interpose(store, async ({ collection, name }, run) => {
    if (READS.test(name)) return run();
    const what = collection === 'keyrings' || collection === 'keys' ? 'secrets' : 'store';
    failpoint.pass(`before-${what}`);
    const result = await run();
    failpoint.pass(`after-${what}`);
    return result;
  });
}

const storeOf = async ({ mongodb_url, data_dir }: Config): Promise<Store> =>
  mongodb_url ? openMongo({ url: mongodb_url }) : openEmbedded({ path: `${data_dir}/gateway.db` });

await main();
