import { type Resealed, reseal } from '../actors/secrets/reseal.ts';
import { createSealer } from '../actors/secrets/seal.ts';
import { keyRewritesIn } from '../store/key-rewrites.ts';
import { secretKeyCheck, secretKeyInUse } from './check-secret-keys.ts';
import { readConfig } from './config.ts';
import { fail } from './leave.ts';
import { openLog } from './log.ts';
import { openStore } from './node.ts';
import { secretsFor } from './secrets.ts';

/** Each look finds less that its device has just written. */
const MOST_LOOKS = 5;

/**
 * `npm run secrets:reseal`, with the environment of a node: all that devices log in with is sealed with SECRETS_KEY, so that
 * SECRETS_KEYS_BEFORE (and JWT_SECRET, before there was a SECRETS_KEY) is needed no more. Beside running nodes over MongoDB; of an embedded
 * store the node has to be stopped. What it did not finish the next run does.
 */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const store = await openStore(config, openLog({ level: 'warn', base: {} }));
  try {
    const sealer = createSealer(secretsFor(config).deviceKeys);
    const [check, isInUse] = [secretKeyCheck(store, sealer), secretKeyInUse(store, sealer)];
    const rewrites = keyRewritesIn(store);
    await store.prepare();
    // Of an embedded store nobody else is at work, or it could not be opened.
    if (store.name === 'embedded') await check();
    else if (!(await isInUse())) throw new Error(NOT_IN_USE);
    process.exitCode = (await resealAll(() => reseal(rewrites, sealer))) ? 0 : 1;
  } finally {
    await store.close();
  }
}

async function resealAll(look: () => Promise<Resealed>): Promise<boolean> {
  let sealed = 0;
  for (let looks = 1; ; looks += 1) {
    const { fresh, resealed, overtaken, unreadable } = await look();
    sealed += resealed;
    if (overtaken > 0 && looks < MOST_LOOKS) continue;
    say(`${sealed} secrets were sealed with the key of now, ${fresh + resealed - sealed} were already.`);
    if (overtaken > 0) say(`${overtaken} were written by their devices at that moment: run it again.`);
    if (unreadable > 0)
      say(`${unreadable} were sealed with a key that is neither SECRETS_KEY nor in SECRETS_KEYS_BEFORE, and are as they were.`);
    if (overtaken + unreadable > 0) return false;
    say('SECRETS_KEYS_BEFORE is needed no more, once every node runs with this SECRETS_KEY.');
    return true;
  }
}

const NOT_IN_USE =
  'No node has been started with this SECRETS_KEY yet: give it to all nodes first, with the earlier key in SECRETS_KEYS_BEFORE, then run this with the same.';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

await main().catch(fail);
