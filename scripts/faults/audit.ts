import { systemClock } from '../../runtime/clock.ts';
import { runAudit } from './audit-run.ts';

const CONTROL_KILLS = 10;

/**
 * `KILLS` shortens a run, and `SEED` repeats one. The database in `MONGODB_URL` is used and then
 * dropped.
 */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const seed = Number(env['SEED'] ?? systemClock.now() % 1_000_000);
  const asked = { seed, mongodbUrl: env['MONGODB_URL'] ?? null };
  const run = await runAudit({ ...asked, kills: Number(env['KILLS'] ?? 200) });
  const control = await runAudit({ ...asked, kills: CONTROL_KILLS, after: true });
  process.stdout.write(`acts and their audit entries (SEED=${seed})\n`);
  for (const [name, figure] of Object.entries(run)) process.stdout.write(`  ${name.padEnd(10)} ${figure}\n`);
  process.stdout.write(`  control    ${control.missing} missing of ${control.acts}, after ${control.kills} kills\n`);
  const isPassed = run.missing + run.twice + run.untrue === 0 && run.verified && control.missing > 0;
  process.stdout.write(`\n${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

await main();
