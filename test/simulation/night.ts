/**
 * The simulation's part of `npm run check:night`: 200 fixed seeds on two nodes, 100 on three, 200 that depend on the
 * day, and each plant until it is detected. SIMULATION_SHARE shortens it: 0.1 runs a tenth of the seeds. Prints every
 * seed with its hash. SIMULATION_HASHES names a file with the output of another machine's run of the same commit, and
 * the run fails if a seed has another history here.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { differing, hashesIn } from './hashes.ts';
import { PLANTS } from './plants.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const PLANS = fileURLToPath(new URL('./plans/', import.meta.url));
const MOST_SEEDS_OF_A_PLANT = 100;
/** Bytes that one run of the simulation may print. */
const MOST_OUTPUT = 64 * 2 ** 20;
const share = Number(process.env['SIMULATION_SHARE'] ?? 1);
const today = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''));

const elsewhere = process.env['SIMULATION_HASHES'] ? hashesIn(readFileSync(process.env['SIMULATION_HASHES'], 'utf8')) : null;
let printed = '';

/** Runs the simulation, prints its output and returns its exit code. */
function simulate(...words: readonly string[]): number {
  const { status, stdout } = spawnSync(process.execPath, [MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
    env: process.env,
  });
  process.stdout.write(stdout);
  printed += stdout;
  return status ?? 1;
}
const seeds = (from: number, count: number, nodes: number): boolean =>
  simulate('--seed', String(from), '--seeds', String(Math.max(1, Math.round(count * share))), '--nodes', String(nodes)) === 0;

const failed: string[] = [];
if (!seeds(1, 200, 2)) failed.push('fixed seeds on two nodes');
if (!seeds(1, 100, 3)) failed.push('fixed seeds on three nodes');
if (!seeds(today * 10, 200, 2)) failed.push(`new seeds from ${today * 10}`);
// A plant changes histories, so the comparison comes before the plants.
const others = elsewhere ? differing(hashesIn(printed), elsewhere) : [];
if (others.length > 0) failed.push(`another history than on the other machine: ${others.join(', ')}`);
for (const [name, { plan }] of Object.entries(PLANTS)) {
  process.stdout.write(`\nplanted: ${name}\n`);
  const words = plan === undefined ? ['--seeds', String(MOST_SEEDS_OF_A_PLANT), '--stop'] : ['--plan', `${PLANS}${plan}`];
  // Exit code 1 means that a promise was broken.
  if (simulate(...words, '--plant', name) !== 1) failed.push(`the plant ${name}`);
}
process.stdout.write(failed.length === 0 ? 'every seed kept its promises, and every plant was found\n' : `FAILED: ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
