import { join } from 'node:path';
import { plansFrom } from '../../actors/domain/plans.ts';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import type { Store } from '../../store/port.ts';
import { type Config, readConfig } from '../wiring/config.ts';
import { openLog } from '../wiring/log.ts';
import { type Node, startNode } from '../wiring/node.ts';
import { PLENTY } from './planted.ts';
import { scratchDirectory } from './scratch.ts';

export interface BenchNode {
  readonly node: Node;
  readonly store: Store;
  readonly config: Config;
}

export async function startBenchNode(changes: Partial<Config> = {}, planted?: Store): Promise<BenchNode> {
  const directory = changes.data_dir ?? scratchDirectory();
  const config: Config = {
    ...readConfig({}, 'no file'),
    port: 0,
    data_dir: directory,
    logins_per_second: 10_000,
    queue_limit: PLENTY,
    plans: plansFrom({
      bench: { devices: PLENTY, messages: PLENTY, send_per_minute: PLENTY, key_cap: PLENTY, stores: PLENTY, ai_replies: 0 },
    }),
    ...changes,
  };
  const log = openLog({ level: config.log_level }, '/dev/null');
  const store = planted ?? openEmbedded({ path: join(directory, 'gateway.db'), log });
  return { node: await startNode(config, { store, log }), store, config };
}
