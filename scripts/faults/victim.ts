import { plansFrom } from '../../actors/domain/plans.ts';
import { connectSandbox } from '../../actors/network/sandbox/remote-sandbox.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import type { Store } from '../../store/port.ts';
import { type Config, readConfig } from '../wiring/config.ts';
import { startNode } from '../wiring/node.ts';
import { Failpoint } from './failpoint.ts';
import { GUARDS, withoutGuard } from './guards.ts';
import { watchAnswers, watchedNetwork, watchedStore } from './watched.ts';

const MANY = 1_000_000_000;
const UNLIMITED = { free: { messages: MANY, send_per_minute: MANY, key_cap: MANY } };

/** `FAILPOINT` is `point:n`. IPC messages arm further ones later. `GUARD` is explained in guards.ts. */
export async function main(keepCompiled: () => void): Promise<void> {
  const config: Config = { ...readConfig(process.env), plans: plansFrom(UNLIMITED) };
  const failpoint = new Failpoint();
  failpoint.arm(process.env['FAILPOINT'] ?? '');
  process.on('message', (order) => failpoint.arm(String(order)));
  process.on('disconnect', () => process.exit(1));
  const network = connectSandbox({ url: config.sandbox_url ?? '', clock: systemClock });
  const node = await startNode(config, {
    store: watchedStore(await storeOf(config), failpoint),
    network: watchedNetwork(withoutGuard(network, guardIn(process.env['GUARD'])), failpoint),
  });
  watchAnswers(node.http.listener, failpoint);
  process.send?.({ url: node.url });
  keepCompiled();
}

const guardIn = (text = 'on') => GUARDS.find((guard) => guard === text) ?? 'on';

const storeOf = async ({ mongodb_url, data_dir }: Config): Promise<Store> =>
  mongodb_url ? openMongo({ url: mongodb_url }) : openEmbedded({ path: `${data_dir}/gateway.db` });
