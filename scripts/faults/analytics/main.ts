import { systemClock } from '../../../runtime/clock.ts';
import { type DriftRun, type DriftVerdict, runDrift } from '../../../test/support/analytics/run.ts';
import { realStores, type StoreKind, scoped } from '../../../test/support/stores.ts';

const DEATHS = 200;

/** `DEATHS` sets the length of a run, and `SEED` repeats one. `MONGODB_URL` adds a run on that store. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const seed = Number(env['SEED'] ?? systemClock.now() % 1_000_000);
  const deaths = Number(env['DEATHS'] ?? DEATHS);
  let isPassed = true;
  for (const kind of realStores) {
    const run = await runOn(kind, { deaths, seed, counting: 'recounts' });
    const control = await runOn(kind, { deaths, seed, counting: 'increments' });
    process.stdout.write(`\n${kind.name} (SEED=${seed}): ${run.deaths} deaths, ${run.messages} messages\n`);
    process.stdout.write(`  wrong    ${run.wrong.join('\n           ') || 0}\n`);
    process.stdout.write(
      `  control  ${control.wrong.length > 0 ? `${control.wrong.length} figures drifted, as they must` : 'did NOT drift'}\n`,
    );
    isPassed &&= run.wrong.length === 0 && control.wrong.length > 0;
  }
  process.stdout.write(`\n${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

const runOn = (kind: StoreKind, run: Omit<DriftRun, 'store'>): Promise<DriftVerdict> =>
  scoped(async (scope) => runDrift({ ...run, store: await kind.fresh(scope) }));

await main();
