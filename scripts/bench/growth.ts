import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import type { Cost } from './growth/measure.ts';
import { plantGrowth } from './growth/plant.ts';
import type { RoundsOptions, Table } from './rounds.ts';
import { scratchDirectory } from './scratch.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK = [1_000, 10_000];
/** The longest that one request may hold the event loop, ms. */
const GOAL_MS = 50;
const TIMEOUT_MS = 600_000;
const run = promisify(execFile);

type Costs = Readonly<Record<string, Cost>>;

/** Every GET row and the first send after a start, over logs of one device that grow: wall, CPU and the loop's longest turn, in ms. */
export async function benchGrowth({ isQuick }: RoundsOptions, show: (table: Table) => void): Promise<void> {
  const sizes = process.env['SIZES']?.split(',').map(Number) ?? (isQuick ? QUICK : SIZES);
  const directory = scratchDirectory();
  const bySize: Costs[] = [];
  let left: readonly string[] = [];
  for (const size of sizes) {
    const measured = await measuredOver(join(directory, String(size)), size);
    bySize.push(measured.costs);
    left = measured.left;
  }
  console.log(`growth: one device's log; wall / CPU / longest turn of the loop in ms. Goal: no turn over ${GOAL_MS} ms\n`);
  console.log(`| request | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} | goal |`);
  console.log(`|---|${'---|'.repeat(sizes.length + 1)}`);
  for (const name of Object.keys(bySize.at(-1) ?? {})) {
    const costs = bySize.map((one) => one[name]);
    const isMet = costs.every((cost) => cost !== undefined && cost.stall <= GOAL_MS);
    console.log(`| ${name} | ${costs.map(shown).join(' | ')} | ${isMet ? 'yes' : 'NO'} |`);
  }
  console.log('');
  show(longest(bySize));
  console.log(`\nNot asked, because they need an id that is not planted or do not end: ${left.join(', ')}\n`);
}

/** The title of what the slowest of all requests did to the loop. */
export const GROWTH = 'growth: the request that holds the event loop longest, over all sizes';

function longest(bySize: readonly Costs[]): Table {
  const most = Math.max(...bySize.flatMap((costs) => Object.values(costs).map(({ stall }) => stall)));
  const figures = new Map([['stall', { median: most, least: most, most, ratio: Number.NaN }]]);
  return {
    title: GROWTH,
    ceiling: 'gateway',
    metrics: [{ key: 'stall', title: 'ms', digits: 1 }],
    rows: [{ variant: 'gateway', figures, failed: 0, complaint: '' }],
  };
}

const shown = (cost: Cost | undefined): string =>
  cost ? `${cost.wall.toFixed(1)} / ${cost.cpu.toFixed(1)} / ${cost.stall.toFixed(1)}${cost.status < 400 ? '' : ` (${cost.status})`}` : '–';

async function measuredOver(directory: string, size: number): Promise<{ readonly costs: Costs; readonly left: readonly string[] }> {
  mkdirSync(directory, { recursive: true });
  const store = openEmbedded({ path: join(directory, 'gateway.db') });
  const planted = await plantGrowth(store, size);
  await store.close();
  writeFileSync(join(directory, 'planted.json'), JSON.stringify(planted));
  const script = fileURLToPath(new URL('./growth/measure.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [...process.execArgv, script, directory], { timeout: TIMEOUT_MS, maxBuffer: 2 ** 24 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

export const GROWTH_NOTES = [
  'growth: the longest turn is CPU time of the event loop’s thread, so that what else the machine does is not in it; wall and CPU are of the second time, and of the process with its client.',
];
