import { pause, systemClock } from '../../../runtime/clock.ts';
import type { Pool } from './pools.ts';
import type { World } from './world.ts';

export interface SharesRun {
  /** Calls of the quiet tenant, alone and then beside the flood. */
  readonly asks: number;
  /** Calls of the flooding tenant at once. */
  readonly copies: number;
  /** A refused caller comes again after this, sooner than it is told: how many refusals a node can write is another question. */
  readonly againMs: number;
}

/** What one pool gave the quiet tenant. */
export interface Share {
  readonly pool: string;
  /** Calls of the quiet tenant beside the flood that the pool did not serve. */
  readonly denied: number;
  /** The most calls of the flooding tenant that were served while the quiet one waited for one answer. */
  readonly overtaken: number;
  /** Calls of the flooding tenant: served, and refused because too many waited. */
  readonly flood: { readonly served: number; readonly refused: number };
  /** ms, of the quiet tenant. */
  readonly alone: Times;
  readonly beside: Times;
}

interface Times {
  readonly median: number;
  readonly p99: number;
}

const POLL_MS = 20;

/** Has one tenant flood a pool while another asks it for little, and says what the other got. */
export async function runShare(world: World, pool: Pool, { asks, copies, againMs }: SharesRun): Promise<Share> {
  const { flooding, quiet } = world;
  let [served, refused, nth, isOver] = [0, 0, 0, false];
  const next = (): number => {
    nth += 1;
    return nth;
  };
  async function ask(): Promise<{ readonly ms: number; readonly overtaken: number; readonly isServed: boolean }> {
    const [before, began] = [served, systemClock.monotonic()];
    const { status } = await pool.ask(quiet, world, next());
    return { ms: systemClock.monotonic() - began, overtaken: served - before, isServed: status === pool.served };
  }
  async function flood(): Promise<void> {
    while (!isOver) {
      const { status } = await pool.flood(flooding, world, next());
      if (status < 429) served += 1;
      else refused += 1;
      if (status >= 429) await pause(systemClock, againMs);
    }
  }
  // Code and thread are warm before anything is measured.
  await ask();
  const alone = [];
  for (let one = 0; one < asks; one += 1) alone.push(await ask());
  if (alone.some(({ isServed }) => !isServed)) throw new Error(`${pool.name}: the quiet tenant is not served alone`);
  const copiesRun = Array.from({ length: copies }, flood);
  while (served + refused < copies / 4) await pause(systemClock, POLL_MS);
  const beside = [];
  for (let one = 0; one < asks; one += 1) beside.push(await ask());
  isOver = true;
  await Promise.all(copiesRun);
  return {
    pool: pool.name,
    denied: beside.filter(({ isServed }) => !isServed).length,
    overtaken: Math.max(...beside.map(({ overtaken }) => overtaken)),
    flood: { served, refused },
    alone: timesOf(alone),
    beside: timesOf(beside),
  };
}

function timesOf(asks: readonly { readonly ms: number }[]): Times {
  const sorted = asks.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): number => Math.round(10 * (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)) / 10;
  return { median: at(0.5), p99: at(0.99) };
}
