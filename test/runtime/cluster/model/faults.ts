import { TTL_MS } from './node.ts';
import { FAIR, type Service } from './roads.ts';
import type { World } from './world.ts';

/** Trouble begins; the answer ends it. */
type Fault = (world: World) => () => void;

const SERVICES: readonly Service[] = ['redis', 'store', 'network'];
const pick = <T>(world: World, from: readonly T[]): T => from[Math.floor(world.random() * from.length)]!;
const anyNode = (world: World): string => pick(world, world.nodeIds);
/** Either way. A day more and rows on the wire would rightly count as hopeless. */
const LONGEST_JUMP_MS = 72_000_000;
const NOTHING = (): void => {};

/** All that goes wrong, each as often as it is listed. */
const FAULTS: readonly Fault[] = [
  pauses,
  pauses,
  pauses,
  stumbles,
  stumbles,
  stumbles,
  cuts,
  cuts,
  cuts,
  storms,
  storms,
  forgets,
  forgetsSilently,
  goesDown,
  leaps,
  jumps,
  kills,
  kills,
  leaves,
  doubles,
  doubles,
  drops,
  hushes,
  hushes,
  intrudes,
  moves,
  moves,
  drains,
];

/** Something goes wrong for `ms` milliseconds. */
export function goWrong(world: World, ms: number): void {
  const fault = pick(world, FAULTS);
  world.oracle.note(`--- ${fault.name} for ${ms} ms`);
  const end = fault(world);
  world.time.after(ms, () => {
    world.oracle.note(`--- ${fault.name} is over`);
    end();
  });
}

function pauses(world: World): () => void {
  const node = pick(world, world.running());
  node?.process.pause();
  return () => node?.process.resume();
}

/** The next node that becomes an owner stops just then, about its login, for longer than its lease lives. */
function stumbles(world: World): () => void {
  world.oracle.onOwned = (node) => {
    world.oracle.onOwned = NOTHING;
    world.time.after(world.random() * 1_000, () => fall(world, node));
  };
  return () => {
    world.oracle.onOwned = NOTHING;
  };
}

function fall(world: World, node: string): void {
  for (const { process } of world.nodes.get(node) ?? []) {
    process.pause();
    world.time.after(TTL_MS + (0.2 + 0.5 * world.random()) * TTL_MS, () => process.resume());
  }
}

function cuts(world: World): () => void {
  const [node, service] = [anyNode(world), pick(world, SERVICES)];
  world.roads.cut(node, service);
  return () => world.roads.heal(node, service);
}

function storms(world: World): () => void {
  const service = pick(world, SERVICES);
  world.roads.setWeather(service, { lost: world.random() * 0.3, slow: world.random(), slowMs: 4_000 });
  return () => world.roads.setWeather(service, FAIR);
}

/** Redis restarts empty. */
function forgets(world: World): () => void {
  world.forget();
  return NOTHING;
}

/** Redis restarts from a snapshot so old that all leases in it have run out. */
function forgetsSilently(world: World): () => void {
  world.forgetSilently();
  return NOTHING;
}

function goesDown(world: World): () => void {
  world.redis.down();
  return () => world.redis.up();
}

/** Redis's clock is set back: leases live longer than they should. */
function leaps(world: World): () => void {
  world.redis.leap(-Math.floor(world.random() * 5_000));
  return NOTHING;
}

function jumps(world: World): () => void {
  const ms = Math.floor((2 * world.random() - 1) * LONGEST_JUMP_MS);
  const node = pick(world, world.running());
  world.hasJumped = true;
  node?.process.jump(ms);
  return () => node?.process.jump(-ms);
}

function kills(world: World): () => void {
  const node = anyNode(world);
  for (const { process } of world.nodes.get(node) ?? []) process.kill();
  return () => world.boot(node);
}

function leaves(world: World): () => void {
  const node = pick(world, world.running());
  if (!node || world.running().length === 1) return NOTHING;
  void node.leave().then(() => node.process.kill());
  return () => {
    node.process.kill();
    world.boot(node.process.node);
  };
}

/** A second process of the same node starts while the first still runs, or hangs; that one goes later. */
function doubles(world: World): () => void {
  const older = pick(world, world.running());
  if (!older) return NOTHING;
  if (world.random() < 0.5) older.process.pause();
  world.boot(older.process.node);
  world.time.after(world.random() * 10_000, () => older.process.resume());
  return () => older.process.kill();
}

function drops(world: World): () => void {
  world.network.drop(pick(world, world.devices));
  return NOTHING;
}

function hushes(world: World): () => void {
  const device = pick(world, world.devices);
  world.network.hush(device, true);
  return () => world.network.hush(device, false);
}

/** Somebody's own computer has the same login and comes back each time that it is thrown out. */
function intrudes(world: World): () => void {
  const device = pick(world, world.devices);
  let isOver = false;
  const again = (): void => {
    if (isOver) return;
    world.network.intrude(device);
    world.time.after(500, again);
  };
  again();
  return () => {
    isOver = true;
  };
}

/** An operator moves a device. */
function moves(world: World): () => void {
  const from = world.running().find(({ actors }) => actors.awake('device').length > 0);
  const [id] = from?.actors.awake('device') ?? [];
  if (from && id !== undefined) from.everywhere.move('device', id, from.process.node, anyNode(world)).catch(NOTHING);
  return NOTHING;
}

function drains(world: World): () => void {
  const node = pick(world, world.running());
  node?.cluster.announce({ state: 'draining' });
  return () => node?.cluster.announce({ state: 'active' });
}
