import { runPayments, STEPS } from './payment-run.ts';

/** `KILLS` sets the number of kills, and `FROM` the first one. Drops the database in `MONGODB_URL`. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const asked = { kills: Number(env['KILLS'] ?? 2 * STEPS.length), from: Number(env['FROM'] ?? 0) };
  const { payments, kills, survived, wrong } = await runPayments({ ...asked, mongodbUrl: env['MONGODB_URL'] ?? null });
  process.stdout.write(`${payments} payments, ${kills} of them over a kill\n`);
  for (const step of survived) process.stdout.write(`  nobody died ${step}\n`);
  for (const line of wrong) process.stdout.write(`  ${line}\n`);
  const isPassed = wrong.length + survived.length === 0;
  process.stdout.write(`\n${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

await main();
