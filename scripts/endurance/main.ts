import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { systemClock } from '../../runtime/clock.ts';
import { reportOf } from './report.ts';
import { enduranceRun } from './run.ts';
import { violationsIn } from './verdict.ts';

/** `--report FILE` writes a Markdown report. `--samples FILE` writes one line of JSON per sample. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '120' },
      rate: { type: 'string', default: '3' },
      devices: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(systemClock.now() % 1_000_000) },
      report: { type: 'string' },
      samples: { type: 'string' },
    },
  });
  const mongodbUrl = process.env['MONGODB_URL'];
  if (!mongodbUrl) throw new Error('MONGODB_URL must name a server: the nodes of a cluster share one.');
  const number = (name: 'minutes' | 'rate' | 'devices' | 'seed'): number => Number(values[name]);
  const told = { minutes: number('minutes'), rate: number('rate'), devices: number('devices'), seed: number('seed') };
  const { minutes, rate, devices, seed } = told;
  const startedAt = systemClock.monotonic();
  const result = await enduranceRun({
    mongodbUrl,
    seed,
    devices,
    seconds: minutes * 60,
    rates: { sends: rate, writes: rate / 3, campaignEveryMs: 90_000 },
    sampleEveryMs: Math.max(1_000, Math.min(20_000, minutes * 500)),
    calmMs: Math.min(60_000, minutes * 1_500),
    badPart: 0.02,
    settlesWithinMs: 15 * 60_000,
    ttlMs: 10_000,
    onMoment: (moment) => values.samples && appendFileSync(values.samples, `${JSON.stringify(moment)}\n`),
    onFault: (name, node) => process.stderr.write(`${Math.round((systemClock.monotonic() - startedAt) / 1_000)} s  ${name} ${node}\n`),
  });
  if (values.samples) appendFileSync(values.samples, `${JSON.stringify({ ...result, moments: undefined, faults: [...result.faults] })}\n`);
  const report = reportOf(result, told);
  if (values.report) writeFileSync(values.report, report);
  process.stdout.write(`${report}\n`);
  process.exit(violationsIn(result.verdict).length === 0 ? 0 : 1);
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : cause}\n`);
  process.exit(1);
});
