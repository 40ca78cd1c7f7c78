import { Worker } from 'node:worker_threads';
import { pause, systemClock } from '../../../runtime/clock.ts';
import type { CallerTask } from './caller-thread.ts';
import { type Ask, type Asks, ask, type Caller, flood, Tally } from './calls.ts';
import type { Pool } from './pools.ts';
import type { World } from './world.ts';

export interface SharesRun extends Asks {
  /** Rounds with and without the flood alternate, so that other load affects both. */
  readonly rounds: number;
  readonly copies: number;
  /** Pause in ms after a refusal. It is shorter than `Retry-After`, because refusals are not measured. */
  readonly againMs: number;
  /** Whether callers run in threads of their own. On one thread, they delay the node and each other. */
  readonly onThreads: boolean;
}

export interface Share {
  readonly pool: string;
  readonly denied: number;
  /** Number of the flooding tenant's calls served while the quiet one was waiting for a response. */
  readonly overtaken: number;
  readonly flood: { readonly served: number; readonly refused: number };
  readonly alone: Times;
  readonly beside: Times;
}

interface Times {
  readonly median: number;
  readonly p99: number;
}

const POLL_MS = 20;

export async function runShare(world: World, pool: Pool, run: SharesRun): Promise<Share> {
  const { asks, withinMs, rounds, copies, againMs, onThreads } = run;
  const [alone, beside]: [Ask[], Ask[]] = [[], []];
  const flooded = { served: 0, refused: 0 };
  const each = { asks: Math.ceil(asks / rounds), withinMs: withinMs / rounds };
  const { ask, flood } = onThreads ? THREADS : HERE;
  for (let round = 0; round < rounds; round += 1) {
    const tally = new Tally();
    const callers = { pool, scene: world.scene, tally };
    const quiet = { ...callers, access: world.quiet };
    await ask(quiet, { asks: 1, withinMs: 0 });
    alone.push(...(await ask(quiet, each)));
    const flooding = flood({ ...callers, access: world.flooding }, copies, againMs);
    while (tally.served + tally.refused < copies / 4) await Promise.race([flooding, pause(systemClock, POLL_MS)]);
    beside.push(...(await ask(quiet, each)));
    tally.end();
    await flooding;
    flooded.served += tally.served;
    flooded.refused += tally.refused;
  }
  if (alone.some(({ isServed }) => !isServed)) throw new Error(`${pool.name}: the quiet tenant is not served alone`);
  return {
    pool: pool.name,
    denied: beside.filter(({ isServed }) => !isServed).length,
    overtaken: Math.max(...beside.map(({ overtaken }) => overtaken)),
    flood: flooded,
    alone: timesOf(alone),
    beside: timesOf(beside),
  };
}

const HERE = { ask, flood };
const THREADS: typeof HERE = {
  ask: (caller, does) => onThread(caller, does),
  flood: (caller, copies, againMs) => onThread(caller, { copies, againMs }),
};

function onThread<Result>({ pool, access, scene, tally }: Caller, does: CallerTask['does']): Promise<Result> {
  const workerData: CallerTask = { pool: pool.name, access, scene, cells: tally.cells, does };
  const thread = new Worker(new URL('./caller-thread.ts', import.meta.url), { workerData, execArgv: [] });
  return new Promise((resolve, reject) => {
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', () => reject(new Error('a caller ended')));
  });
}

function timesOf(asks: readonly { readonly ms: number }[]): Times {
  const sorted = asks.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): number => Math.round(10 * (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)) / 10;
  return { median: at(0.5), p99: at(0.99) };
}
