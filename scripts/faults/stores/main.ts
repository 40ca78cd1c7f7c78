import { systemClock } from '../../../runtime/clock.ts';
import { runTrial } from '../../../test/support/online-stores/trial.ts';
import { realStores, type Scope } from '../../../test/support/stores.ts';

/** `CUSTOMERS` and `KILLS` shorten a run, and `SEED` repeats one. `MONGODB_URL` adds that store. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const seed = Number(env['SEED'] ?? systemClock.now() % 1_000_000);
  const [customers, kills] = [Number(env['CUSTOMERS'] ?? 1_000), Number(env['KILLS'] ?? 25)];
  let isPassed = true;
  for (const kind of realStores) {
    const endings: (() => unknown)[] = [];
    const scope: Scope = { after: (end) => void endings.push(end) };
    const { wrong, ...figures } = await runTrial(scope, { kind, customers, kills, seed });
    for (const end of endings) await end();
    process.stdout.write(`\n${kind.name}: ${customers} customers (SEED=${seed})\n`);
    for (const [name, figure] of Object.entries(figures)) process.stdout.write(`  ${name.padEnd(12)} ${figure}\n`);
    process.stdout.write(`  ${'wrong'.padEnd(12)} ${wrong.join('; ') || 0}\n`);
    isPassed &&= wrong.length === 0 && figures.isWooActive && figures.kills === kills;
  }
  process.stdout.write(`\n${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

await main();
