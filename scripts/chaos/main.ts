import { systemClock } from '../../runtime/clock.ts';
import { optionsIn } from './options.ts';
import { type RunOptions, scenarioRun, stormRun } from './run.ts';
import type { Scenario } from './scenarios.ts';
import { faultsOf, figuresOf, guardsOf, reportOf } from './table.ts';
import { type Verdict, violations } from './verdict.ts';

/** `--figures` measures figures instead (figures.ts). `--seconds 1800` is used for a long run. */
async function main(argv: readonly string[]): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const options = optionsIn(argv, process.env);
  const { mongodbUrl, devices, seed, rate, faults, scenarios, seconds } = options;
  const run: RunOptions = { mongodbUrl, devices, seed, guard: 'on', rates: { sends: rate, writes: rate / 5 } };
  if (options.isFigures) return measure(mongodbUrl);
  say(`--seed ${seed} --devices ${devices} --seconds ${seconds} --rate ${rate}`);
  const results = [
    ...(faults.length > 0 ? [await weathered({ ...run, names: faults, seconds })] : []),
    ...(scenarios.length > 0 ? [await guarded(run, scenarios)] : []),
  ];
  process.exit(results.every(Boolean) ? 0 : 1);
}

async function measure(mongodbUrl: string): Promise<void> {
  const { failoverFigures, sizeFigures } = await import('./figures.ts');
  for (const figures of [failoverFigures, sizeFigures]) say(figuresOf(await figures(mongodbUrl)));
  process.exit(0);
}

async function weathered(options: Parameters<typeof stormRun>[0]): Promise<boolean> {
  const startedAt = systemClock.monotonic();
  const since = (): string => ((systemClock.monotonic() - startedAt) / 1_000).toFixed(1);
  const verdict = await stormRun({ ...options, onFault: (name, node) => process.stderr.write(`${since()} s  ${name} ${node}\n`) });
  const wrong = violations(verdict);
  say(`faults: ${faultsOf(verdict.faults)}\n${reportOf(verdict, verdict.faults)}`);
  say(wrong.length === 0 ? 'every promise was kept' : `BROKEN: ${wrong.join('; ')}`);
  return wrong.length === 0;
}

async function guarded(run: RunOptions, scenarios: readonly Scenario[]): Promise<boolean> {
  say('the scenario for each guard, with all guards enabled');
  const withAll = await scenarioRun(run, scenarios);
  say(reportOf(withAll));
  const without = new Map<Scenario, Verdict>();
  for (const scenario of scenarios) {
    process.stderr.write(`without: ${scenario.guard}\n`);
    without.set(scenario, await scenarioRun({ ...run, guard: scenario.guard }, [scenario]));
  }
  const wrong = violations(withAll);
  const unseen = [...without].filter(([{ shows }, verdict]) => verdict[shows] === 0).map(([{ guard }]) => guard);
  say(guardsOf(withAll, without));
  say(wrong.length === 0 ? 'every promise was kept with all guards' : `BROKEN with all guards: ${wrong.join('; ')}`);
  if (unseen.length > 0) say(`NOT DETECTED: the run does not detect the damage without ${unseen.join(', ')}`);
  return wrong.length + unseen.length === 0;
}

const say = (text: string): void => void process.stdout.write(`${text}\n\n`);

await main(process.argv.slice(2)).catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : cause}\n`);
  process.exit(1);
});
