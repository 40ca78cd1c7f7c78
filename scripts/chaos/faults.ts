import { pause, systemClock } from '../../runtime/clock.ts';
import { keysOf } from '../../runtime/keys-of.ts';
import { oneOf, type Random } from '../../runtime/random.ts';
import { until } from '../faults/processes.ts';
import type { Gateway } from './gateway.ts';
import type { Device, World } from './world.ts';

/** Faults on the same `node` never overlap. */
export interface Scene {
  readonly world: World;
  readonly node: Gateway;
  readonly random: Random;
}

export interface Fault {
  readonly on: 'node' | 'redis' | 'nothing';
  readonly restarts?: true;
  readonly weight: number;
  run(scene: Scene): Promise<void>;
}

export const FAULTS = {
  kill: { on: 'node', restarts: true, weight: 6, run: kill },
  freeze: { on: 'node', weight: 6, run: freeze },
  terminate: { on: 'node', restarts: true, weight: 3, run: terminate },
  'node from redis': { on: 'node', weight: 3, run: (scene) => parted(scene, 'redis') },
  'node from mongodb': { on: 'node', weight: 2, run: (scene) => parted(scene, 'mongo') },
  'node from network': { on: 'node', weight: 2, run: (scene) => parted(scene, 'sandbox') },
  'late writes': { on: 'node', restarts: true, weight: 2, run: lateWrites },
  drain: { on: 'node', weight: 1, run: drain },
  'redis killed': { on: 'redis', weight: 2, run: redisKilled },
  'redis flushed': { on: 'redis', weight: 2, run: async ({ world }) => world.redis.flush() },
  'redis slow': { on: 'redis', weight: 1, run: redisSlow },
  move: { on: 'nothing', weight: 2, run: move },
  rebalance: { on: 'nothing', weight: 1, run: rebalance },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES: readonly FaultName[] = keysOf(FAULTS);
export const isFault = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);

const TAKEN_OVER_WITHIN_MS = 30_000;

const between = ({ random }: Scene, from: number, to: number): number => from + random() * (to - from);
const wait = (scene: Scene, fromMs: number, toMs: number): Promise<void> => pause(systemClock, between(scene, fromMs, toMs));

async function kill(scene: Scene): Promise<void> {
  await scene.node.kill();
  await wait(scene, 100, scene.world.ttlMs * 1.5);
  await scene.node.startSupervised();
}

async function freeze(scene: Scene): Promise<void> {
  const { node, world } = scene;
  node.freeze();
  await wait(scene, world.ttlMs * 0.8, world.ttlMs * 2.2);
  node.thaw();
}

async function terminate(scene: Scene): Promise<void> {
  const code = await scene.node.terminate();
  if (code !== 0) throw new Error(`${scene.node.name} left with ${code} after SIGTERM`);
  await scene.node.startSupervised();
}

async function parted(scene: Scene, from: 'redis' | 'mongo' | 'sandbox'): Promise<void> {
  const { node, world, random } = scene;
  const links = [node.links[from], ...(from === 'sandbox' && node.links.peer ? [node.links.peer] : [])];
  if (from === 'sandbox') node.unheard();
  const isCut = random() < 0.5;
  for (const link of links) isCut ? link.cut() : link.hold();
  await wait(scene, world.ttlMs * 0.5, world.ttlMs * 2);
  for (const link of links) link.mend();
  // Waits a little longer, because the network may still be receiving the data that was held back.
  await pause(systemClock, 500);
  node.received();
}

export async function lateWrites({ node, world }: Pick<Scene, 'node' | 'world'>): Promise<void> {
  const had = await world.devicesOf(node.id);
  node.links.mongo.hold('up');
  node.links.sandbox.cut();
  await pause(systemClock, 300);
  await node.kill();
  await until(TAKEN_OVER_WITHIN_MS, () => noneIs(world, had, node));
  node.links.mongo.mend();
  node.links.sandbox.mend();
  await node.startSupervised();
}

async function drain(scene: Scene): Promise<void> {
  const { node, world } = scene;
  const operator = world.running.find((one) => one !== node) ?? node;
  await operator.call('POST', `/v1/admin/nodes/${node.id}/drain`).catch(() => {});
  await wait(scene, 1_000, 4_000);
  await until(TAKEN_OVER_WITHIN_MS, () => isBackIn(world, node));
}

async function isBackIn(world: World, node: Gateway): Promise<boolean> {
  const answer = await world.api('POST', `/v1/admin/nodes/${node.id}/undrain`).catch(() => null);
  return answer?.status === 202;
}

async function redisKilled(scene: Scene): Promise<void> {
  await scene.world.redis.kill();
  await wait(scene, 50, scene.world.ttlMs * 1.5);
  await scene.world.redis.start();
}

async function redisSlow(scene: Scene): Promise<void> {
  const { world } = scene;
  const delayMs = between(scene, 50, 500);
  for (const { links } of world.gateways) links.redis.slow(delayMs);
  await wait(scene, world.ttlMs, world.ttlMs * 2);
  for (const { links } of world.gateways) links.redis.mend();
}

const MOVED = 5;

async function move({ world, random }: Scene): Promise<void> {
  const any = <T extends object>(from: readonly T[]): T => oneOf(from, random);
  for (let i = 0; i < MOVED; i += 1) {
    const { id } = any(world.devices);
    await world.api('POST', `/v1/admin/sessions/${id}/move`, { node: any(world.gateways).id }).catch(() => {});
    await world.api('POST', `/v1/admin/sessions/${id}/move`, { node: null }).catch(() => {});
  }
}

async function rebalance({ world }: Scene): Promise<void> {
  await world.api('POST', '/v1/admin/rebalance', {}).catch(() => {});
}

async function noneIs(world: World, devices: readonly Device[], node: Gateway): Promise<boolean> {
  const theirs = new Set((await world.devicesOf(node.id)).map(({ id }) => id));
  return devices.every(({ id }) => !theirs.has(id));
}
