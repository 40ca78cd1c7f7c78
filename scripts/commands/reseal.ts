import { type Resealed, reseal } from '../../actors/services/credentials/reseal.ts';
import { resealSecrets } from '../../actors/services/credentials/sealed-secrets.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createSealer } from '../../runtime/sealing/seal.ts';
import { credentialRewritesIn } from '../../store/devices/credential-rewrites.ts';
import { privacySecretRewritesIn } from '../../store/privacy/secret-rewrites.ts';
import { messageSecretRewritesIn } from '../../store/secrets/message-secret-rewrites.ts';
import { officialRewritesIn } from '../../store/secrets/official-rewrites.ts';
import { secretRewritesIn } from '../../store/secrets/secret-rewrites.ts';
import { storeSecretRewritesIn } from '../../store/store-links/secret-rewrites.ts';
import { sealAuditKey } from '../wiring/audit-key.ts';
import { checkSecretKey, isSecretKeyInUse } from '../wiring/check-secret-keys.ts';
import { readConfig } from '../wiring/config.ts';
import { openLog } from '../wiring/log.ts';
import { openStore } from '../wiring/node.ts';
import { secretsFor } from '../wiring/secrets.ts';
import { fail } from '../wiring/shutdown.ts';

/**
 * Maximum number of passes. Devices may change secrets during a pass, but each pass finds fewer of
 * them.
 */
const MAX_POLLS = 5;

/** If the store is embedded, stop the node first. An interrupted run is continued by the next one. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const store = await openStore(config, openLog({ level: 'warn', base: {} }));
  try {
    const sealer = createSealer(secretsFor(config).deviceKeys);
    const rewrites = credentialRewritesIn(store);
    const others = [
      secretRewritesIn(store, () => systemClock.now()),
      storeSecretRewritesIn(store),
      privacySecretRewritesIn(store),
      messageSecretRewritesIn(store),
      officialRewritesIn(store),
    ];
    const sealAll = async (): Promise<Resealed> => {
      let sum = await reseal(rewrites, sealer);
      for (const other of others) sum = sumOf(sum, await resealSecrets(other, sealer));
      return sum;
    };
    await store.prepare();
    // An embedded store can be opened only if no other process is using it.
    if (store.name === 'embedded') await checkSecretKey(store, sealer);
    else if (!(await isSecretKeyInUse(store, sealer))) throw new Error(NOT_IN_USE);
    await sealAuditKey(store, sealer);
    process.exitCode = (await resealAll(sealAll)) ? 0 : 1;
  } finally {
    await store.close();
  }
}

const sumOf = (a: Resealed, b: Resealed): Resealed => ({
  fresh: a.fresh + b.fresh,
  resealed: a.resealed + b.resealed,
  overtaken: a.overtaken + b.overtaken,
  unreadable: a.unreadable + b.unreadable,
});

async function resealAll(look: () => Promise<Resealed>): Promise<boolean> {
  let sealed = 0;
  for (let looks = 1; ; looks += 1) {
    const { fresh, resealed, overtaken, unreadable } = await look();
    sealed += resealed;
    if (overtaken > 0 && looks < MAX_POLLS) continue;
    say(`${sealed} secrets were sealed with the current key, ${fresh + resealed - sealed} already had it.`);
    if (overtaken > 0) say(`${overtaken} were changed by their devices at the same moment: run it again.`);
    if (unreadable > 0)
      say(`${unreadable} are sealed with a key that is neither SECRETS_KEY nor in SECRETS_KEYS_BEFORE, and were left unchanged.`);
    if (overtaken + unreadable > 0) return false;
    say('Once every node runs with this SECRETS_KEY, SECRETS_KEYS_BEFORE is no longer needed.');
    return true;
  }
}

const NOT_IN_USE =
  'No node has run with this SECRETS_KEY yet. First give it to all nodes, with the earlier key in SECRETS_KEYS_BEFORE; then run this command with the same settings.';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

await main().catch(fail);
