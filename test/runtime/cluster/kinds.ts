import { describe, type TestContext } from 'node:test';
import { systemClock } from '../../../runtime/clock.ts';
import { createCluster } from '../../../runtime/cluster/cluster.ts';
import { localCluster } from '../../../runtime/cluster/local-cluster.ts';
import type { Cluster, ClusterLog } from '../../../runtime/cluster/port.ts';
import { redisCluster } from '../../../runtime/cluster/redis/coordination.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { aRedis, hasRedis } from '../../support/redis.ts';

/** Where the nodes of one test live. */
export interface Fixture {
  /** A node that has joined; it leaves when the test is over. The same id again is its next start. */
  node(id: string): Promise<Cluster>;
  /** Lets time pass until it settles. */
  meanwhile<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass until it holds; throws when it never does. */
  until(holds: () => boolean | Promise<boolean>): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly isAlone: boolean;
  fixture(scope: TestContext): Promise<Fixture>;
}

const REAL_TTL_MS = 3_000;
export const TTL_MS = 10_000;
const PATIENCE_MS = 20_000;

export const quiet: ClusterLog = { info() {}, warn() {}, error() {} };

const local: Kind = {
  name: 'a node alone',
  isAlone: true,
  async fixture() {
    const clock = new VirtualClock();
    return { ...virtualTime(clock), node: async (id) => localCluster({ nodeId: id, clock }) };
  },
};

const simulated: Kind = {
  name: 'simulated Redis',
  isAlone: false,
  async fixture() {
    const clock = new VirtualClock();
    const world = new SimulatedRedis(clock);
    return { ...virtualTime(clock), node: (id) => aNode(world, id) };
  },
};

const redis: Kind = {
  name: 'Redis',
  isAlone: false,
  async fixture(scope) {
    const { url } = await aRedis(scope);
    return { ...realTime, node: (id) => aRedisNode(scope, url, id) };
  },
};

/** Tells the same story of each kind of cluster, or of those with more than one node. */
export function eachCluster(story: string, who: 'any' | 'several nodes', tell: (kind: Kind) => void): void {
  const kinds = [local, simulated, ...(hasRedis ? [redis] : [])].filter(({ isAlone }) => who === 'any' || !isAlone);
  for (const kind of kinds) describe(`${story} (${kind.name})`, () => tell(kind));
}

let boots = 0;

/** A started node at a place of its own in the simulated world. */
export async function aNode(world: SimulatedRedis, id: string): Promise<Cluster> {
  return (await aPlacedNode(world, id)).cluster;
}

export async function aPlacedNode(world: SimulatedRedis, id: string) {
  const place = world.place(id);
  boots += 1;
  const cluster = createCluster(place.coordination, { nodeId: id, boot: `boot${boots}`, ttlMs: TTL_MS, clock: place.clock, log: quiet });
  await cluster.start();
  return { cluster, place };
}

export const SECRET = 'the secret that nodes of one cluster share';

export async function aRedisNode(scope: TestContext, url: string, id: string, ttlMs = REAL_TTL_MS, secret = SECRET): Promise<Cluster> {
  boots += 1;
  const cluster = redisCluster({ url, secret, nodeId: id, boot: `boot${boots}`, ttlMs, clock: systemClock, log: quiet });
  scope.after(() => cluster.leave());
  await cluster.start();
  return cluster;
}

function virtualTime(clock: VirtualClock): Omit<Fixture, 'node'> {
  return {
    async meanwhile(work) {
      let isOver = false;
      const over = (): void => {
        isOver = true;
      };
      work.then(over, over);
      for (let turn = 0; turn < 100 && !isOver; turn += 1) await clock.advance(100);
      return work;
    },
    async until(holds) {
      for (let turn = 0; turn < 300; turn += 1) {
        if (await holds()) return;
        await clock.advance(100);
      }
      throw new Error('that never came to be');
    },
  };
}

/** Lets time pass until `seenBy` has received `count` more heartbeats of the node. Leases are renewed at the same rate. */
export async function heartbeats(fixture: Fixture, of: string, seenBy: Cluster, count: number): Promise<void> {
  const last = (): number => seenBy.members().find(({ id }) => id === of)?.heartbeat_at ?? 0;
  for (let n = 0; n < count; n += 1) {
    const before = last();
    await fixture.until(() => last() > before);
  }
}

/** Real servers take real time: this looks again and again instead of sleeping for long enough. */
export const realTime: Omit<Fixture, 'node'> = {
  meanwhile: (work) => work,
  async until(holds) {
    const giveUpAt = performance.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (performance.now() > giveUpAt) throw new Error('that never came to be');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
};
