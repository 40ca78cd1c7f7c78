import { systemClock } from '../../../runtime/clock.ts';
import { GUARDS, type Guard } from '../../../test/support/billing/guards.ts';
import { runYear, type YearRun, type YearVerdict } from '../../../test/support/billing/year.ts';
import { realStores, type StoreKind, scoped } from '../../../test/support/stores.ts';

const TENANTS = 300;
const DAYS = 365;
const DEATHS = 0.05;
const NODES = 8;
/** Number of tenants per batch. A longer run prints its totals after each batch. */
const BATCH = 500;
const CONTROL = { tenants: 20, days: 60, deaths: 0.3 } as const;
const CONTROL_SEEDS = 8;

type Figures = Omit<YearVerdict, 'wrong'>;

/** `TENANTS` and `DAYS` set the size, and `SEED` repeats a run. `MONGODB_URL` adds that store. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const seed = Number(env['SEED'] ?? systemClock.now() % 1_000_000);
  const [tenants, days] = [Number(env['TENANTS'] ?? TENANTS), Number(env['DAYS'] ?? DAYS)];
  let isPassed = true;
  for (const kind of realStores) {
    print(`\n${kind.name}: ${tenants} tenants, ${days} days (SEED=${seed})`);
    const missed = await notFound(kind, seed);
    print(`  controls     ${missed.length === 0 ? 'found wrong, as they must be' : `NOT found wrong: without ${missed.join(', ')}`}`);
    const { wrong, ...figures } = await inBatches(kind, { tenants, days, seed });
    for (const [name, figure] of Object.entries(figures)) print(`  ${name.padEnd(12)} ${figure}`);
    print(`  ${'wrong'.padEnd(12)} ${wrong.join('; ') || 0}`);
    isPassed &&= wrong.length === 0 && figures.deaths > 0 && missed.length === 0;
  }
  print(`\n${isPassed ? 'passed' : 'FAILED'}`);
  process.exit(isPassed ? 0 : 1);
}

async function notFound(kind: StoreKind, seed: number): Promise<readonly Guard[]> {
  const missed: Guard[] = [];
  for (const without of GUARDS) {
    let isFound = false;
    for (let nth = 0; nth < CONTROL_SEEDS && !isFound; nth += 1)
      isFound = (await runOn(kind, { ...CONTROL, seed: seed + nth, without })).wrong.length > 0;
    if (!isFound) missed.push(without);
  }
  return missed;
}

async function inBatches(kind: StoreKind, { tenants, days, seed }: Pick<YearRun, 'tenants' | 'days' | 'seed'>): Promise<YearVerdict> {
  const none: Figures = { invoices: 0, paid: 0, overages: 0, credits: 0, refunds: 0, messages: 0, months: 0, deaths: 0 };
  let total: YearVerdict = { ...none, wrong: [] };
  for (let done = 0; done < tenants; done += BATCH) {
    const batch = { tenants: Math.min(BATCH, tenants - done), days, seed: seed + done, deaths: DEATHS, nodes: NODES };
    total = added(total, await runOn(kind, batch));
    if (tenants > BATCH)
      print(`  ${done + batch.tenants} tenants: ${total.invoices} invoices, ${total.months} months recounted, ${total.wrong.length} wrong`);
  }
  return total;
}

const added = (one: YearVerdict, other: YearVerdict): YearVerdict => ({
  invoices: one.invoices + other.invoices,
  paid: one.paid + other.paid,
  overages: one.overages + other.overages,
  credits: one.credits + other.credits,
  refunds: one.refunds + other.refunds,
  messages: one.messages + other.messages,
  months: one.months + other.months,
  deaths: one.deaths + other.deaths,
  wrong: [...one.wrong, ...other.wrong],
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const runOn = (kind: StoreKind, run: Omit<YearRun, 'store'>): Promise<YearVerdict> =>
  scoped(async (scope) => runYear({ ...run, store: await kind.fresh(scope) }));

await main();
