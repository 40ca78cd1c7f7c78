import { goWrong } from './faults.ts';
import { ALL_GUARDS, type Guards } from './guards.ts';
import type { Violation } from './oracle.ts';
import { World } from './world.ts';

const TROUBLE_MS = 60_000;
const FAULTS = 12;
const MESSAGES = 12;
const LONGEST_FAULT_MS = 20_000;
const STEP_MS = 500;
/** Once nothing goes wrong any more, a running node holds every device's lease within this time, */
const OWNED_WITHIN_MS = 60_000;
/** and everything has been sent and every device is online again within this: a device that was replaced waits up to an hour. */
const PEACE_MS = 4_500_000;

export interface Outcome {
  readonly violation: Violation | null;
  readonly story: readonly string[];
  /** How long it took after the trouble until all was well. */
  readonly recoveryMs: number;
}

/** Plays one seed to its end, or to the first broken promise. */
export async function play(seed: number, guards: Guards = ALL_GUARDS): Promise<Outcome> {
  const world = new World(seed, guards);
  for (const node of world.nodeIds) world.boot(node);
  await world.time.advance(3_000);
  const { random, time } = world;
  for (let i = 0; i < FAULTS; i += 1) time.after(random() * TROUBLE_MS, () => goWrong(world, Math.ceil(random() * LONGEST_FAULT_MS)));
  for (let i = 0; i < MESSAGES; i += 1) time.after(random() * TROUBLE_MS, () => world.send(world.devices[i % world.devices.length]!));
  await pass(world, TROUBLE_MS + LONGEST_FAULT_MS, () => false);
  const begin = time.monotonic();
  await recover(world);
  return { violation: world.oracle.violation, story: world.oracle.story, recoveryMs: time.monotonic() - begin };
}

async function pass(world: World, ms: number, isEnough: () => boolean): Promise<void> {
  const until = world.time.monotonic() + ms;
  while (world.time.monotonic() < until && world.oracle.violation === null && !isEnough()) await world.time.advance(STEP_MS);
}

async function recover(world: World): Promise<void> {
  await pass(world, OWNED_WITHIN_MS, () => world.unowned().length === 0);
  const unowned = world.unowned();
  if (unowned.length > 0) world.oracle.unfinished('nobody runs it', `${unowned} after ${OWNED_WITHIN_MS} ms of peace`);
  await pass(world, PEACE_MS, () => world.unsent().length === 0 && world.offline().length === 0);
  if (world.oracle.violation !== null) return;
  const [unsent, offline] = [world.unsent(), world.offline()];
  if (offline.length > 0) world.oracle.unfinished('nobody runs it', `${offline} after ${PEACE_MS} ms of peace`);
  if (unsent.length > 0) world.oracle.unfinished('lost', `${unsent} after ${PEACE_MS} ms of peace`);
}
