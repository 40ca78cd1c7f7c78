import { pause, systemClock } from '../../runtime/clock.ts';
import { at } from '../../runtime/invariant.ts';
import type { Random } from '../../runtime/random.ts';
import { FAULTS, type Fault, type FaultName } from './faults.ts';
import type { Gateway } from './gateway.ts';
import type { World } from './world.ts';

export interface StormOptions {
  readonly world: World;
  readonly random: Random;
  readonly names: readonly FaultName[];
  readonly isOver: (soFar: ReadonlyMap<FaultName, number>) => boolean;
  readonly spared?: string;
  readonly calmMs?: number;
  readonly onFault?: (name: FaultName, node: string) => void;
}

const MAX_CONCURRENT = 2;
const CALM_MS = 1_500;

/** At most two faults run at the same time, never on the same target and never on all nodes. */
export async function storm(options: StormOptions): Promise<ReadonlyMap<FaultName, number>> {
  const counts = new Map<FaultName, number>();
  const busy = new Set<unknown>();
  const front = async (): Promise<void> => {
    while (!options.isOver(counts)) {
      await pause(systemClock, (options.calmMs ?? CALM_MS) * options.random());
      await strike(options, busy, counts);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, front));
  return counts;
}

async function strike(
  { world, random, names, spared, onFault }: StormOptions,
  busy: Set<unknown>,
  counts: Map<FaultName, number>,
): Promise<void> {
  const name = choose(names, random);
  const fault: Fault = FAULTS[name];
  const isSpared = ({ id }: Gateway): boolean => fault.restarts === true && id === spared;
  const free = world.gateways.filter((gateway) => !busy.has(gateway) && gateway.isRunning && !isSpared(gateway));
  const node = free[Math.floor(random() * free.length)];
  const taken = fault.on === 'node' ? node : fault.on === 'redis' ? world.redis : {};
  if (!node || !taken || busy.has(taken)) return;
  busy.add(taken);
  try {
    onFault?.(name, fault.on === 'node' ? node.name : '');
    await fault.run({ world, node, random });
    counts.set(name, (counts.get(name) ?? 0) + 1);
  } finally {
    busy.delete(taken);
  }
}

function choose(names: readonly FaultName[], random: Random): FaultName {
  const weights = names.map((name) => FAULTS[name].weight);
  let lot = random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [i, name] of names.entries()) {
    lot -= at(weights, i);
    if (lot < 0) return name;
  }
  return at(names, -1);
}
