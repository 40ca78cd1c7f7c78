import { systemClock } from '../../runtime/clock.ts';
import { runImport } from './import-run.ts';

/** `ROWS` and `KILLS` shorten a run, and `SEED` repeats one. Drops the database in `MONGODB_URL`. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const seed = Number(env['SEED'] ?? systemClock.now() % 1_000_000);
  const [rows, kills] = [Number(env['ROWS'] ?? 30_000), Number(env['KILLS'] ?? 20)];
  const { miscounted, ...figures } = await runImport({ rows, kills, seed, mongodbUrl: env['MONGODB_URL'] ?? null });
  process.stdout.write(`an import that is killed (SEED=${seed})\n`);
  for (const [name, figure] of Object.entries(figures)) process.stdout.write(`  ${name.padEnd(14)} ${figure}\n`);
  process.stdout.write(`  ${'miscounted'.padEnd(14)} ${miscounted.join(', ') || 0}\n`);
  const { missing, strangers, misnamed, misremembered } = figures;
  const isPassed = missing + strangers + misnamed + misremembered + miscounted.length === 0 && figures.kills > 0;
  process.stdout.write(`\n${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

await main();
