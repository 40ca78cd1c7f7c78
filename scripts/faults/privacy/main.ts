import { runErasures } from './erasure-run.ts';

/** `KILLS` shortens a run. The database in `MONGODB_URL` is used and then dropped. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const kills = Number(env['KILLS'] ?? 50);
  const run = await runErasures({ kills, mongodbUrl: env['MONGODB_URL'] ?? null });
  for (const [name, figure] of Object.entries(run))
    process.stdout.write(`  ${name.padEnd(10)} ${Array.isArray(figure) ? figure.join(' ') : figure}\n`);
  const isPassed = run.left.length === 0 && run.missing.length === 0 && run.erased === run.people && run.kills >= kills;
  process.stdout.write(`\n${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

await main();
