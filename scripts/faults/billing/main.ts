import { systemClock } from '../../../runtime/clock.ts';
import { runYear, type YearRun, type YearVerdict } from '../../../test/support/billing/year.ts';
import { type StoreKind, scoped, stores } from '../../../test/support/stores.ts';

const TENANTS = 300;
const DAYS = 365;
const DEATHS = 0.05;
const CONTROL = { tenants: 10, days: 60, isForgetful: true } as const;

/**
 * `npm run faults:billing`: a year of 300 tenants who buy, pay, pay late or twice, upgrade, downgrade, cancel and want money back at random,
 * while every 20th step of the gateway may die at one of its writes. Invoice numbers must have no gaps, money in must be paid lines and credit,
 * overage must be what the log says, and everybody must have what was paid for and nothing else. A control whose provider names a payment anew
 * each time that it is asked must be found wrong. `TENANTS`, `DAYS` and `SEED` change or repeat it; `MONGODB_URL` adds that store.
 */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const seed = Number(env['SEED'] ?? systemClock.now() % 1_000_000);
  const [tenants, days] = [Number(env['TENANTS'] ?? TENANTS), Number(env['DAYS'] ?? DAYS)];
  let isPassed = true;
  for (const kind of stores) {
    const { wrong, ...figures } = await runOn(kind, { tenants, days, seed, deaths: DEATHS });
    process.stdout.write(`\n${kind.name}: ${tenants} tenants, ${days} days (SEED=${seed})\n`);
    for (const [name, figure] of Object.entries(figures)) process.stdout.write(`  ${name.padEnd(12)} ${figure}\n`);
    process.stdout.write(`  ${'wrong'.padEnd(12)} ${wrong.join('; ') || 0}\n`);
    const control = await runOn(kind, { ...CONTROL, seed, deaths: DEATHS });
    process.stdout.write(`  ${'control'.padEnd(12)} ${control.wrong.length > 0 ? 'found wrong, as it must be' : 'NOT found wrong'}\n`);
    isPassed &&= wrong.length === 0 && figures.deaths > 0 && control.wrong.length > 0;
  }
  process.stdout.write(`\n${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

const runOn = (kind: StoreKind, run: Omit<YearRun, 'store'>): Promise<YearVerdict> =>
  scoped(async (scope) => runYear({ ...run, store: await kind.fresh(scope) }));

await main();
