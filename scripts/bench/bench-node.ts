import { join } from 'node:path';
import { plansFrom } from '../../actors/plans.ts';
import type { Store } from '../../store/collection.ts';
import { openEmbedded } from '../../store/embedded.ts';
import { type Config, readConfig } from '../config.ts';
import { openLog } from '../log.ts';
import { type Node, startNode } from '../node.ts';
import { PLENTY } from './planted.ts';
import { scratchDirectory } from './scratch.ts';

export interface BenchNode {
  readonly node: Node;
  readonly store: Store;
  readonly config: Config;
}

/** A node as `npm start` runs it, over an embedded store of its own: its log at the default level, written to nowhere. */
export async function startBenchNode(changes: Partial<Config> = {}): Promise<BenchNode> {
  const directory = scratchDirectory();
  const config: Config = {
    ...readConfig({}, 'no file'),
    port: 0,
    data_dir: directory,
    logins_per_second: 10_000,
    queue_limit: PLENTY,
    plans: plansFrom({ bench: { devices: PLENTY, messages: PLENTY, send_per_minute: PLENTY, key_cap: PLENTY, stores: 0, ai_replies: 0 } }),
    ...changes,
  };
  const log = openLog({ level: config.log_level }, '/dev/null');
  const store = openEmbedded({ path: join(directory, 'gateway.db'), log });
  return { node: await startNode(config, { store, log }), store, config };
}
