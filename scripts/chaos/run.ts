import { systemClock } from '../../runtime/clock.ts';
import { seededRandom } from '../../runtime/random.ts';
import { moveIn } from './customer.ts';
import { collect, settled } from './evidence.ts';
import type { FaultName } from './faults.ts';
import type { Scenario } from './scenarios.ts';
import { storm } from './storm.ts';
import { type Rates, Traffic } from './traffic.ts';
import { judge, type Verdict } from './verdict.ts';
import { World, type WorldOptions } from './world.ts';

export interface RunOptions extends WorldOptions {
  readonly devices: number;
  readonly seed: number;
  readonly rates?: Rates;
}

export interface StormRun extends RunOptions {
  readonly names: readonly FaultName[];
  readonly seconds: number;
  readonly onFault?: (name: FaultName, node: string) => void;
}

export interface StormVerdict extends Verdict {
  readonly faults: ReadonlyMap<FaultName, number>;
}

/** Long, mainly because devices pause between two logins. */
const SETTLES_WITHIN_MS = 300_000;
/**
 * In runs with a disabled guard, some messages may never arrive. They count as missed after this
 * time.
 */
const MISSED_AFTER_MS = 12_000;

export async function stormRun({ names, seconds, onFault, ...options }: StormRun): Promise<StormVerdict> {
  let faults: ReadonlyMap<FaultName, number> = new Map();
  const verdict = await inWorld(options, async (world) => {
    const endsAt = systemClock.monotonic() + seconds * 1_000;
    const isOver = (): boolean => systemClock.monotonic() > endsAt;
    faults = await storm({ world, names, isOver, random: seededRandom(options.seed), ...(onFault && { onFault }) });
  });
  return { ...verdict, faults };
}

export function scenarioRun(options: RunOptions, scenarios: readonly Scenario[]): Promise<Verdict> {
  return inWorld(options, async (world) => {
    for (const { play } of scenarios) await play(world);
  });
}

async function inWorld(options: RunOptions, ordeal: (world: World) => Promise<void>): Promise<Verdict> {
  const world = await World.open(options);
  try {
    await moveIn(world, options.devices);
    const traffic = new Traffic(world, seededRandom(options.seed + 1));
    traffic.start(options.rates);
    await ordeal(world).finally(() => traffic.stop());
    const patienceMs = options.guard === 'on' ? SETTLES_WITHIN_MS : MISSED_AFTER_MS;
    return judge(await collect(world, traffic.ledger, await settled(world, traffic.ledger, patienceMs)));
  } finally {
    await world.close();
  }
}
