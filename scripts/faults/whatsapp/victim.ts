import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { createWhatsApp } from '../../../actors/network/whatsapp/driver.ts';
import { loadLibrary } from '../../../actors/network/whatsapp/library.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { guardedConnect } from '../../../runtime/egress/guarded-connect.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import type { Store } from '../../../store/port.ts';
import { type Config, readConfig } from '../../wiring/config.ts';
import { openLog } from '../../wiring/log.ts';
import { startNode } from '../../wiring/node.ts';
import { watchAnswers } from '../watched.ts';
import { Failpoint } from './failpoint.ts';
import { watchFrames } from './frames.ts';
import { GUARDS, guardedNetwork, guardedStore } from './guards.ts';
import { watchedStore, watchFiles } from './steps.ts';

const MANY = 1_000_000_000;
const PLANS = plansFrom({ free: { devices: 100, messages: MANY, send_per_minute: MANY, key_cap: MANY } });

/**
 * A gateway on the real network's driver that kills itself at the n-th pass of a point, told by IPC. It is made ready and waits for its turn
 * (`go`, or `go <point>:<n>`), in which it starts and tells its parent `{url}`; on `tell` it writes down how often it has passed each point, and
 * on `keep code` all that was compiled so far, which spares the next ones half of their start. `UNWATCHED`: it has none.
 */
async function main(): Promise<void> {
  const config: Config = { ...readConfig(process.env), plans: PLANS };
  const guard = GUARDS.find((one) => one === process.env['GUARD']) ?? 'on';
  const failpoint = new Failpoint();
  process.on('disconnect', () => process.exit(1));
  const isWatched = !process.env['UNWATCHED'];
  if (isWatched) watchFrames(failpoint);
  if (isWatched) watchFiles(failpoint);
  await loadLibrary();
  const [go] = await once(process, 'message');
  if (String(go).startsWith('go ')) failpoint.arm(String(go).slice(3));
  process.on('message', (order) => applyCommand(failpoint, String(order), config.data_dir));
  const store = guardedStore(await storeOf(config), guard, () => failpoint.isArmed);
  const replaced = { store: isWatched ? watchedStore(store, failpoint) : store, network: guardedNetwork(networkOf(config), guard) };
  const node = await startNode(config, replaced);
  if (isWatched) watchAnswers(node.http.listener, failpoint);
  process.send?.({ url: node.url });
}

function applyCommand(failpoint: Failpoint, order: string, directory: string): void {
  if (order === 'count') failpoint.count();
  else if (order === 'keep code') flushCompileCache();
  else if (order === 'tell') writeFileSync(join(directory, 'passed.json'), JSON.stringify([...failpoint.passed]));
  else failpoint.arm(order);
}

const storeOf = async ({ mongodb_url, data_dir }: Config): Promise<Store> =>
  mongodb_url ? openMongo({ url: mongodb_url }) : openEmbedded({ path: `${data_dir}/gateway.db` });

function networkOf({ whatsapp_url: url, whatsapp_root_key: rootKey, egress_allow: allow, log_level: level, node_id }: Config) {
  const dial = guardedConnect({ allow, clock: systemClock });
  return createWhatsApp({ url, rootKey, dial, clock: systemClock, log: openLog({ level, base: { node: node_id } }) });
}

await main();
