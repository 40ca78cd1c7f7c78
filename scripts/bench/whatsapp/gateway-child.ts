import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { readConfig } from '../../wiring/config.ts';
import { startNode } from '../../wiring/node.ts';

const MANY = 1_000_000_000;

/** Starts an unmodified gateway. On any message, it collects garbage and replies `collected`. */
async function main(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  process.on('message', () => {
    // Called without an argument, because with one it would collect only the young generation.
    collect();
    process.send?.('collected');
  });
  process.on('disconnect', () => process.exit(1));
  const { url } = await startNode({
    ...readConfig(process.env),
    plans: plansFrom({ free: { devices: MANY, messages: MANY, send_per_minute: MANY, key_cap: MANY } }),
  });
  process.send?.({ url });
}

await main();
