import { plansFrom } from '../../actors/domain/plans.ts';
import { connectSandbox } from '../../actors/network/sandbox/remote-sandbox.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import type { Doc, Store } from '../../store/port.ts';
import { readConfig } from '../wiring/config.ts';
import { startNode } from '../wiring/node.ts';
import { hastyClock } from './hasty-clock.ts';

const MANY = 1_000_000_000;

/** Runs a gateway in which time passes faster (`SPEED`, `SINCE`), so that hours fit into minutes. */
export async function main(keepCompiled: () => void): Promise<void> {
  const { env } = process;
  process.on('disconnect', () => process.exit(1));
  const config = { ...readConfig(env), plans: plansFrom({ free: { messages: MANY, send_per_minute: MANY, key_cap: MANY } }) };
  const [speed = 1, deadlineSpeed = 1] = (env['SPEED'] ?? '1').split(',').map(Number);
  const clock = hastyClock(speed, deadlineSpeed, Number(env['SINCE'] ?? systemClock.now()));
  const { mongodb_url, data_dir, sandbox_url } = config;
  const store = mongodb_url ? await openMongo({ url: mongodb_url }) : openEmbedded({ path: `${data_dir}/gateway.db` });
  const network = connectSandbox({ url: sandbox_url ?? '', clock: systemClock });
  const node = await startNode(config, { store: env['FORGETFUL'] ? await forgetful(store) : store, network, clock });
  process.send?.({ url: node.url });
  keepCompiled();
}

/** Marks pending deliveries as failed, as if the previous process had kept them only in memory. */
async function forgetful(store: Store): Promise<Store> {
  const deliveries = store.collection<Doc>({ name: 'deliveries', indexes: [] });
  await deliveries.updateMany({ status: 'pending' }, { $set: { status: 'failed', next_attempt_at: null } });
  return store;
}
