/**
 * The simulation's part of `npm run check:night`: 200 fixed seeds on two nodes, 100 on three, 200 that depend on the
 * day, and each plant until it is detected. SIMULATION_SHARE shortens it: 0.1 runs a tenth of the seeds. Prints every
 * seed with its hash, for comparison with another machine.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PLANTS } from './plants.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const MOST_SEEDS_OF_A_PLANT = 100;
const share = Number(process.env['SIMULATION_SHARE'] ?? 1);
const today = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''));

const simulate = (...words: readonly string[]): number =>
  spawnSync(process.execPath, [MAIN, ...words], { stdio: 'inherit', env: process.env }).status ?? 1;
const seeds = (from: number, count: number, nodes: number): boolean =>
  simulate('--seed', String(from), '--seeds', String(Math.max(1, Math.round(count * share))), '--nodes', String(nodes)) === 0;

const failed: string[] = [];
if (!seeds(1, 200, 2)) failed.push('fixed seeds on two nodes');
if (!seeds(1, 100, 3)) failed.push('fixed seeds on three nodes');
if (!seeds(today * 10, 200, 2)) failed.push(`new seeds from ${today * 10}`);
for (const name of Object.keys(PLANTS)) {
  process.stdout.write(`\nplanted: ${name}\n`);
  // Exit code 1 means that a promise was broken.
  if (simulate('--seeds', String(MOST_SEEDS_OF_A_PLANT), '--stop', '--plant', name) !== 1) failed.push(`the plant ${name}`);
}
process.stdout.write(failed.length === 0 ? 'every seed kept its promises, and every plant was found\n' : `FAILED: ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
