import { pause, systemClock } from '../../runtime/clock.ts';
import { at, present } from '../../runtime/invariant.ts';
import { expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';
import { wholeJournal } from './evidence.ts';
import { lateWrites } from './faults.ts';
import type { Gateway } from './gateway.ts';
import type { Guard } from './guards.ts';
import type { Device, World } from './world.ts';

export interface Scenario {
  readonly guard: Guard;
  readonly about: string;
  /** The figure that must be 0 with the guard and above 0 without it. */
  readonly shows: 'doubled' | 'inboundLost' | 'stale' | 'wrongEvictions' | 'stranded';
  play(world: World): Promise<void>;
}

const CALM_MS = 1_000;
/** Number of lease lifetimes to wait. A node steps down within two; the rest is for busy machines. */
const PATIENT_LIVES = 8;
/** The network delays acks for this time, or until it has withheld the acks of UNACKED messages. */
const LATE_MS = 15_000;
const UNACKED = 5;
const WRITING_MS = 4_000;

export const SCENARIOS: readonly Scenario[] = [
  {
    guard: 'no-self-check',
    about: 'the lease is checked before each effect; a node is cut off from Redis',
    shows: 'wrongEvictions',
    play: (world) => cutOffFromRedis(world, 3),
  },
  {
    guard: 'no-epoch',
    about: 'writes carry an epoch; the writes of a dead owner arrive late',
    shows: 'stale',
    async play(world) {
      await calm();
      await lateWrites({ world, node: await busiest(world) });
    },
  },
  {
    guard: 'fresh-ids',
    about: 'a message keeps its network id; a node dies while acks are late',
    shows: 'doubled',
    play: dyingWithoutAcks,
  },
  {
    guard: 'early-acknowledge',
    about: 'incoming messages are stored before they are acknowledged; a node with a slow store dies',
    shows: 'inboundLost',
    play: dyingWithoutStore,
  },
  {
    guard: 'release-first',
    about: 'a connection is closed before its lease is released; devices are moved',
    shows: 'wrongEvictions',
    play: movingOut,
  },
  {
    guard: 'no-quiet',
    about: 'after Redis loses its data, no lease is granted for one lease lifetime; a node is cut off in the meantime',
    shows: 'wrongEvictions',
    play: forgetting,
  },
  {
    guard: 'no-fence',
    about: 'an evicted node yields, and leases and epochs are checked; a node is cut off from Redis',
    shows: 'wrongEvictions',
    play: (world) => cutOffFromRedis(world, 5),
  },
  {
    guard: 'no-step-down',
    about: 'a node without the store hands over its devices; a node is cut off from MongoDB',
    shows: 'stranded',
    play: cutOffFromMongo,
  },
];

const calm = (): Promise<void> => pause(systemClock, CALM_MS);

async function busiest(world: World): Promise<Gateway> {
  const loads = await Promise.all(world.running.map(async (node) => ({ node, load: (await world.devicesOf(node.id)).length })));
  return at(
    loads.toSorted((a, b) => b.load - a.load),
    0,
  ).node;
}

async function cutOffFromRedis(world: World, lives: number): Promise<void> {
  await calm();
  const { links } = await busiest(world);
  links.redis.cut();
  await pause(systemClock, world.ttlMs * lives);
  links.redis.mend();
  await calm();
}

/** Restores the link only after the node's devices have moved to other nodes, or after a timeout. */
async function cutOffFromMongo(world: World): Promise<void> {
  await calm();
  const node = await busiest(world);
  const had = await world.devicesOf(node.id);
  node.links.mongo.cut();
  await until(world.ttlMs * PATIENT_LIVES, async () => (await leftBehind(world, had, node)) === 0 || null);
  world.stranded += await leftBehind(world, had, node);
  node.links.mongo.mend();
  await calm();
}

async function leftBehind(world: World, had: readonly Device[], node: Gateway): Promise<number> {
  const still = new Set((await world.devicesOf(node.id)).map(({ id }) => id));
  return had.filter(({ id }) => still.has(id)).length;
}

async function dyingWithoutAcks(world: World): Promise<void> {
  const node = await busiest(world);
  const phones = (await world.devicesOf(node.id)).map(({ phone }) => phone);
  const seen = await acceptedFrom(world, phones);
  await slow(world, phones, LATE_MS);
  await until(LATE_MS, async () => (await acceptedFrom(world, phones)) >= seen + UNACKED);
  await node.kill();
  await slow(world, phones, 1);
  await pause(systemClock, world.ttlMs);
  await node.start();
}

async function slow(world: World, phones: readonly string[], forMs: number): Promise<void> {
  const faults = phones.map((phone) => world.sandbox('POST', `/sandbox/devices/${phone}/fault`, { kind: 'slow', for_ms: forMs }));
  for (const answer of await Promise.all(faults)) expected(answer, 200);
}

async function acceptedFrom(world: World, phones: readonly string[]): Promise<number> {
  return (await wholeJournal(world)).filter(({ what, phone }) => what === 'accepted' && phones.includes(phone)).length;
}

async function dyingWithoutStore(world: World): Promise<void> {
  const node = await busiest(world);
  node.links.mongo.hold('up');
  await pause(systemClock, WRITING_MS);
  node.links.mongo.cut();
  await node.kill();
  node.links.mongo.mend();
  await node.start();
}

/** Deletes all leases while a node that still relies on them is cut off. */
async function forgetting(world: World): Promise<void> {
  await calm();
  const { links } = await busiest(world);
  links.redis.cut();
  await world.redis.flush(world.guard === 'no-quiet');
  await pause(systemClock, world.ttlMs * 2);
  links.redis.mend();
  await calm();
}

async function movingOut(world: World): Promise<void> {
  const from = await busiest(world);
  const to = present(
    world.running.find((node) => node !== from),
    'another node',
  );
  for (const { id } of await world.devicesOf(from.id)) {
    await world.api('POST', `/v1/admin/sessions/${id}/move`, { node: to.id });
  }
  await calm();
}
