import { appendFileSync } from 'node:fs';
import { seededRandom } from '../../../runtime/random.ts';
import { isOneOf } from '../../../runtime/shapes.ts';
import { bareKillRun } from './bare-run.ts';
import { GUARDS } from './guards.ts';
import { ALL_POINTS, type Point, stepOfPoint } from './points.ts';
import { PROOFS } from './proofs.ts';
import { killRun, passesOf } from './run.ts';
import { linesIn, print, totals } from './table.ts';
import { TRAFFICS } from './traffic.ts';
import { harmOf } from './verdict.ts';

/**
 * `KILLS=200 [POINTS=…] [SEED=…] [MONGODB_URL=…] [GUARD=…] [SIDE=bare]` kills at each point.
 * `OUT=file.jsonl` counts its kills as done; `SHARD=0/2` takes half of the points. `SHOW=1` adds up
 * files.
 */
const { env } = process;
const files = process.argv.slice(2);

if (env['SHOW']) print(totals(linesIn(files)));
else if (env['PASSES']) await showPasses();
else if (env['PROOFS']) await prove();
else await kill();
process.exit(process.exitCode ?? 0);

async function kill(): Promise<void> {
  const wanted = Number(env['KILLS'] ?? 3);
  const out = env['OUT'];
  const done = new Map(totals(linesIn([...files, ...(out ? [out] : [])])).map(({ point, kills }) => [point, kills]));
  const points = pointsHere()
    .filter((point) => (done.get(point) ?? 0) < wanted)
    .toSorted((a, b) => (done.get(a) ?? 0) - (done.get(b) ?? 0));
  const lines = await (env['SIDE'] === 'bare' ? bareKillRun : killRun)({
    points,
    kills: Math.min(wanted, Number(env['AT_ONCE'] ?? wanted)),
    random: seededRandom(Number(env['SEED'] ?? 1)),
    mongodbUrl: env['MONGODB_URL'] || null,
    guard: GUARDS.find((guard) => guard === env['GUARD']) ?? 'on',
    ...(env['SECONDS'] && { withinMs: Number(env['SECONDS']) * 1_000 }),
    onKill: () => void process.stderr.write('.'),
  });
  process.stderr.write('\n');
  if (out) appendFileSync(out, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  print(totals(lines));
  if (lines.some((line) => Object.values(harmOf(line)).some((count) => count > 0))) process.exitCode = 1;
}

/** Checks that each figure that must be 0 exceeds 0 without its guard. */
async function prove(): Promise<void> {
  const named = env['GUARD'];
  for (const { guard, points, shows } of PROOFS.filter((proof) => named === undefined || proof.guard === named)) {
    const lines = await killRun({ points, guard, kills: Number(env['KILLS'] ?? 3), random: seededRandom(1), mongodbUrl: null });
    const found = shows.map((name) => ({ name, count: lines.reduce((sum, line) => sum + harmOf(line)[name], 0) }));
    console.log(`${guard.padEnd(16)} ${points.join(', ').padEnd(38)} ${found.map(({ name, count }) => `${name} ${count}`).join(', ')}`);
    if (found.some(({ count }) => count === 0)) process.exitCode = 1;
  }
}

function pointNamed(name: string): Point {
  if (isOneOf(ALL_POINTS, name)) return name;
  throw new RangeError(`there is no point ${name}`);
}

function pointsHere(): readonly Point[] {
  const named = env['POINTS']?.split(',').map(pointNamed);
  const [shard = 0, shards = 1] = (env['SHARD'] ?? '').split('/').map(Number);
  return (named ?? ALL_POINTS).filter((_point, nth) => nth % (shards || 1) === shard);
}

async function showPasses(): Promise<void> {
  for (const traffic of TRAFFICS) {
    console.log(traffic);
    for (const [step, times] of [...(await passesOf(traffic, 3, null))].sort()) {
      const isPoint = ALL_POINTS.some((point) => stepOfPoint(point) === step);
      console.log(`${isPoint ? '*' : ' '} ${step} ${times}`);
    }
  }
}
