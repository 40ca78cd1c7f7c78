import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { createWhatsApp } from '../../../actors/network/whatsapp/driver.ts';
import { loadLibrary } from '../../../actors/network/whatsapp/library.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { guardedConnect } from '../../../runtime/egress/guarded-connect.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
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

/** Starts after the IPC message `go` or `go <point>:<n>`. `UNWATCHED` disables the failpoints. */
export async function main(keepCompiled: () => void): Promise<void> {
  const config: Config = { ...readConfig(process.env), plans: PLANS };
  const guard = GUARDS.find((one) => one === process.env['GUARD']) ?? 'on';
  const failpoint = new Failpoint();
  process.on('disconnect', () => process.exit(1));
  const isWatched = !process.env['UNWATCHED'];
  if (isWatched) await watchFrames(failpoint);
  if (isWatched) watchFiles(failpoint);
  await loadLibrary();
  const [go] = await once(process, 'message');
  if (String(go).startsWith('go ')) failpoint.arm(String(go).slice(3));
  process.on('message', (order) => applyCommand(failpoint, String(order), config.data_dir, keepCompiled));
  const store = guardedStore(await storeOf(config), guard, () => failpoint.isArmed);
  const replaced = { store: isWatched ? watchedStore(store, failpoint) : store, network: guardedNetwork(networkOf(config), guard) };
  const node = await startNode(config, replaced);
  if (isWatched) watchAnswers(node.http.listener, failpoint);
  process.send?.({ url: node.url });
}

function applyCommand(failpoint: Failpoint, order: string, directory: string, keepCompiled: () => void): void {
  if (order === 'count') failpoint.count();
  else if (order === 'keep code') keepCompiled();
  else if (order === 'tell') writeFileSync(join(directory, 'passed.json'), JSON.stringify([...failpoint.passed]));
  else failpoint.arm(order);
}

async function storeOf({ mongodb_url: url, data_dir }: Config): Promise<Store> {
  if (!url) return openEmbedded({ path: `${data_dir}/gateway.db` });
  const { openMongo } = await import('../../../store/engines/mongo/mongo.ts');
  return openMongo({ url });
}

function networkOf({ whatsapp_url: url, whatsapp_root_key: rootKey, egress_allow: allow, log_level: level, node_id }: Config) {
  const dial = guardedConnect({ allow, clock: systemClock });
  return createWhatsApp({ url, rootKey, dial, clock: systemClock, log: openLog({ level, base: { node: node_id } }) });
}
