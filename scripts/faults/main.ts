import { randomBytes } from 'node:crypto';
import { systemClock } from '../../runtime/clock.ts';
import type { Guard } from './guards.ts';
import { ALL_POINTS, BETWEEN_SEND_AND_MARK, isPoint, type Point } from './points.ts';
import { run } from './run.ts';
import { tableOf } from './table.ts';
import { isClean, type Line } from './verdict.ts';

interface Plan {
  readonly title: string;
  readonly guard: Guard;
  readonly points: readonly Point[];
  readonly kills: number;
  passes(lines: readonly Line[]): boolean;
}

const KILLS = Number(process.env['KILLS'] ?? 20);
const FEW = Math.min(KILLS, 3);

const PLANS: readonly Plan[] = [
  {
    title: 'unmodified: nothing may be lost, duplicated or wrong',
    guard: 'on',
    points: pointsIn(process.env['POINTS']),
    kills: KILLS,
    passes: (lines) => lines.every(isClean),
  },
  {
    title: 'a new network id for each transmission: every point must show duplicates, otherwise the run proves nothing',
    guard: 'fresh-ids',
    points: BETWEEN_SEND_AND_MARK,
    kills: FEW,
    passes: (lines) => lines.every(({ doubled }) => doubled > 0),
  },
  {
    title: 'incoming messages acknowledged before they are stored: there must be losses, otherwise the run proves nothing',
    guard: 'early-acknowledge',
    points: ['before-inbound'],
    kills: FEW,
    passes: (lines) => lines.every(({ inboundLost }) => inboundLost > 0),
  },
];

/** `KILLS` and `POINTS` (a comma-separated list) shorten a run, and `SEED` repeats one. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const seed = Number(process.env['SEED'] ?? systemClock.now() % 1_000_000);
  let failed = 0;
  for (const store of process.env['MONGODB_URL'] ? (['embedded', 'mongodb'] as const) : (['embedded'] as const)) {
    for (const plan of PLANS) failed += (await carriedOut(plan, store, seed)) ? 0 : 1;
  }
  process.exit(failed === 0 ? 0 : 1);
}

async function carriedOut({ title, passes, ...plan }: Plan, store: 'embedded' | 'mongodb', seed: number): Promise<boolean> {
  process.stdout.write(`\n${store}, ${title} (SEED=${seed})\n`);
  const startedAt = systemClock.monotonic();
  const onKill = (): void => void process.stderr.write('.');
  const lines = await run({ ...plan, mongodbUrl: store === 'mongodb' ? freshDatabase() : null, seed, onKill });
  const passed = passes(lines);
  const seconds = Math.round((systemClock.monotonic() - startedAt) / 1_000);
  process.stdout.write(`\n${tableOf(lines)}\n${passed ? 'passed' : 'FAILED'} in ${seconds} s\n`);
  return passed;
}

function freshDatabase(): string {
  const url = new URL(process.env['MONGODB_URL'] ?? '');
  url.pathname = `/faults_${randomBytes(6).toString('hex')}`;
  return url.href;
}

function pointsIn(text: string | undefined): readonly Point[] {
  if (!text) return ALL_POINTS;
  return text.split(',').map((name) => {
    if (!isPoint(name)) throw new Error(`POINTS: ${name} is no point; they are ${ALL_POINTS.join(', ')}.`);
    return name;
  });
}

await main();
