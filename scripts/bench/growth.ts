import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { at } from '../../runtime/invariant.ts';
import type { Cost, Measured } from './growth/measure.ts';
import { openAt } from './growth/place.ts';
import { plantGrowth } from './growth/plant.ts';
import type { RoundsOptions, Row, Table } from './rounds.ts';
import { scratchDirectory } from './scratch.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK = [1_000, 10_000];
/** Longest time that one request may block the event loop. */
const GOAL_MS = 50;
const TIMEOUT_MS = 1_200_000;
const run = promisify(execFile);

type Costs = Measured['costs'];

/** Measures logs of growing `SIZES`, and of `MONGODB_SIZES` if MONGODB_URL is set. Figures are in ms. */
export async function benchGrowth({ isQuick }: RoundsOptions, show: (table: Table) => void): Promise<void> {
  const sizes = sizesIn('SIZES') ?? (isQuick ? QUICK : SIZES);
  const mongo = process.env['MONGODB_URL'];
  const stores = [
    { name: 'gateway', sizes, server: null },
    ...(mongo ? [{ name: 'gateway, MongoDB', sizes: sizesIn('MONGODB_SIZES') ?? sizes, server: mongo }] : []),
  ];
  const rows: Row[] = [];
  for (const { name, sizes, server } of stores) {
    const bySize: Measured[] = [];
    for (const size of sizes) bySize.push(await measuredOver(size, server));
    tell(name, sizes, bySize);
    rows.push(
      longest(
        name,
        bySize.map(({ costs }) => costs),
      ),
    );
  }
  show({ title: GROWTH, ceiling: 'gateway', metrics: [{ key: 'stall', title: 'ms', digits: 1 }], rows });
}

const sizesIn = (name: string): readonly number[] | undefined => process.env[name]?.split(',').map(Number);

function tell(name: string, sizes: readonly number[], bySize: readonly Measured[]): void {
  const { costs: largest, left } = at(bySize, -1);
  console.log(`growth: ${name}, one device's log; wall / CPU / longest turn of the loop in ms. Goal: no turn over ${GOAL_MS} ms\n`);
  console.log(`| request | ${sizes.map((size) => size.toLocaleString('en')).join(' | ')} | goal |`);
  console.log(`|---|${'---|'.repeat(sizes.length + 1)}`);
  for (const request of Object.keys(largest)) {
    const costs = bySize.map((one) => one.costs[request]);
    const isMet = costs.every((cost) => cost !== undefined && cost.stall <= GOAL_MS && cost.status < 400);
    console.log(`| ${request} | ${costs.map(shown).join(' | ')} | ${isMet ? 'yes' : 'NO'} |`);
  }
  console.log(
    `\nNot asked:\n${Object.entries(left)
      .map(([id, why]) => `- ${id}: ${why}`)
      .join('\n')}\n`,
  );
}

export const GROWTH = 'growth: the request that holds the event loop longest, over all sizes';

function longest(variant: string, bySize: readonly Costs[]): Row {
  const all = bySize.flatMap((costs) => Object.entries(costs));
  const most = Math.max(...all.map(([, { stall }]) => stall));
  const figures = new Map([['stall', { median: most, least: most, most, ratio: Number.NaN }]]);
  const refused = all.filter(([, { status }]) => status >= 400);
  return { variant, figures, failed: refused.length, complaint: refused.map(([name, { status }]) => `${name}: ${status}`).join(', ') };
}

const shown = (cost: Cost | undefined): string =>
  cost ? `${cost.wall.toFixed(1)} / ${cost.cpu.toFixed(1)} / ${cost.stall.toFixed(1)}${cost.status < 400 ? '' : ` (${cost.status})`}` : '–';

async function measuredOver(size: number, server: string | null): Promise<Measured> {
  const directory = join(scratchDirectory(), String(size));
  mkdirSync(directory, { recursive: true });
  const url = server === null ? undefined : new URL(`/bench_${randomBytes(4).toString('hex')}`, server).href;
  try {
    const store = await openAt(directory, url);
    const planted = await plantGrowth(store, size);
    await store.close();
    writeFileSync(join(directory, 'planted.json'), JSON.stringify(planted));
    const script = fileURLToPath(new URL('./growth/measure.ts', import.meta.url));
    const args = [...process.execArgv, script, directory, String(size), ...(url ? [url] : [])];
    const { stdout } = await run(process.execPath, args, { timeout: TIMEOUT_MS, maxBuffer: 2 ** 24 });
    return JSON.parse(at(stdout.trim().split('\n'), -1));
  } finally {
    if (url) await dropped(url);
  }
}

async function dropped(url: string): Promise<void> {
  const client = await MongoClient.connect(url);
  await client.db().dropDatabase();
  await client.close();
}

export const GROWTH_NOTES = [
  'growth: the longest turn is CPU time of the event loop’s thread, so that what else the machine does is not in it; wall and CPU are of the second time (of the only one where a phone answers, which is asked once a second), and of the process with its client. A row that is refused counts as failed.',
];
