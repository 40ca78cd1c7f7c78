/**
 * Simulates many nodes of one cluster in one process on virtual time. Membership, leases, placement, rebalancing, limits
 * and actors are the product's own, over a simulated Redis and MongoDB. Only the device is reduced (device.ts). Invariant:
 * two processes never use the same device.
 */
import { LoginRateLimiter } from '../../../actors/device/effects/login-rate-limiter.ts';
import { newDevice } from '../../../actors/services/devices/new-device.ts';
import { LimitsOverNodes } from '../../../http/limits/limits-over-nodes.ts';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { createCluster } from '../../../runtime/cluster/cluster.ts';
import { ClusterActors } from '../../../runtime/cluster/cluster-actors.ts';
import { HeldLease } from '../../../runtime/cluster/held-lease.ts';
import type { Cluster, HeldBy } from '../../../runtime/cluster/port.ts';
import { Rebalancer } from '../../../runtime/cluster/rebalancer.ts';
import { StoreWatch } from '../../../runtime/cluster/store-watch.ts';
import { isRecord } from '../../../runtime/shapes.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { deviceDirectoryIn } from '../../../store/devices/device-directory.ts';
import { devicesIn } from '../../../store/devices/devices.ts';
import type { Store } from '../../../store/port.ts';
import { type Place, SimulatedRedis } from '../../support/coordination.ts';
import { type Passage, SimulatedMongo } from '../../support/simulated-mongo/simulated-mongo.ts';
import { Ledger } from './counted.ts';
import { KIND, smallDevice } from './device.ts';
import { Phones } from './phones.ts';
import type { Channel } from './replay.ts';

export const TTL_MS = 10_000;
const REBALANCE_MS = 1_000;
const MAX_MOVES = 10;
const CLOSING_MS = 5_000;
/** Assumed round-trip times to Redis and to the store, for a network between machines. */
const REDIS_MS = 1;
const STORE_MS = 2;
/** Measured time of the driver per document when reading many (docs/capacity-measurements.md). */
const DOCUMENT_MS = 0.005;
const perMinuteOf = (nth: number): number => (nth % BUSY_EVERY === 0 ? BUSY_PER_MINUTE : 0);
export const DEVICES_OF_A_TENANT = 100;
/** One device in a hundred is busy, so that weights differ. */
const BUSY_EVERY = 100;
const BUSY_PER_MINUTE = 30;

export interface ScaleNode {
  readonly id: string;
  readonly place: Place;
  readonly cluster: Cluster;
  readonly actors: ActorSystem;
  readonly everywhere: ClusterActors;
  readonly limits: LimitsOverNodes;
  /** Shuts the node down as on SIGTERM. */
  leave(): Promise<void>;
}

export class ScaleWorld {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1), () => new Promise((resolve) => setImmediate(resolve)));
  readonly redis = new SimulatedRedis(this.clock);
  readonly mongo = new SimulatedMongo();
  readonly ledger = new Ledger(this.clock);
  readonly phones = new Phones(this.clock);
  readonly nodes = new Map<string, ScaleNode>();
  readonly devices: number;
  loginsPerSecond = USUAL_LOGINS;
  #boots = 0;
  readonly #failed: unknown[] = [];

  constructor(devices: number) {
    this.devices = devices;
    this.redis.weather = () => ({ requestMs: REDIS_MS / 2, replyMs: REDIS_MS / 2 });
  }

  /** Stores the devices as linked ones that should be online. */
  async plant(): Promise<void> {
    const store = this.mongo.store(async (apply) => apply(), this.clock);
    await store.prepare();
    const devices = devicesIn(store);
    for (let nth = 0; nth < this.devices; nth += 1) {
      const tenant = `t${Math.floor(nth / DEVICES_OF_A_TENANT)}`;
      await devices.create({
        ...newDevice(tenant, null, null, this.clock.now()),
        ...{ _id: `d${nth}`, wanted: true, credentials: {}, status: 'disconnected', phone_number: String(nth), secret: '' },
        traffic: { per_minute: perMinuteOf(nth), at: this.clock.now() + 365 * 86_400_000 },
      });
    }
  }

  /** Starts the nodes at the same moment; resolves when all have joined. */
  async boot(...ids: readonly string[]): Promise<void> {
    let joined = 0;
    for (const id of ids)
      this.#start(id).then(
        () => {
          joined += 1;
        },
        (cause) => this.#failed.push(cause),
      );
    for (let turn = 0; turn < 60 && joined < ids.length && this.#failed.length === 0; turn += 1) await this.clock.advance(100);
    if (joined < ids.length) throw new Error('a node could not join', { cause: this.#failed[0] });
  }

  async #start(id: string): Promise<void> {
    const place = this.redis.place(id);
    const { clock } = place;
    this.#boots += 1;
    const boot = `b${this.#boots}`;
    const log = { info() {}, warn() {}, error() {} };
    const cluster = createCluster(this.ledger.over(id, place.coordination), { nodeId: id, boot, ttlMs: TTL_MS, clock, log });
    const actors = new ActorSystem(clock);
    const everywhere = new ClusterActors(actors, cluster, clock);
    const store = this.#storeOf(place);
    const [usual, slow] = [new LoginRateLimiter(clock, USUAL_LOGINS), new LoginRateLimiter(clock, SLOW_LOGINS)];
    everywhere.register(
      smallDevice({
        node: id,
        clock,
        devices: devicesIn(store),
        directory: deviceDirectoryIn(store),
        phones: this.phones,
        logins: () => (this.loginsPerSecond === SLOW_LOGINS ? slow : usual),
        isAlive: () => !place.isKilled,
      }),
    );
    const rebalancer = new Rebalancer(
      { cluster, actors: everywhere, clock, failed: () => {} },
      { everyMs: REBALANCE_MS, mostMoves: MAX_MOVES },
    );
    const watch = new StoreWatch({
      cluster,
      ping: () => store.ping(),
      ttlMs: TTL_MS,
      clock,
      log,
      stepDown: () => everywhere.evictEverything(0),
    });
    const limits = new LimitsOverNodes({
      counting: cluster.counting ?? neverNull(),
      nodes: () => cluster.members().length,
      failed: () => {},
    });
    const world = this;
    this.nodes.set(id, {
      ...{ id, place, cluster, actors, everywhere, limits },
      async leave() {
        rebalancer.stop();
        watch.stop();
        cluster.announce({ state: 'draining' });
        await everywhere.evictEverything(CLOSING_MS * 12);
        await everywhere.shutdown(CLOSING_MS);
        rebalancer.notify();
        await cluster.leave();
        place.kill();
        world.nodes.delete(id);
      },
    });
    await cluster.start();
    watch.start();
    rebalancer.start();
  }

  /** Simulates a power failure of these nodes. Returns the devices that were online there. */
  kill(...ids: readonly string[]): string[] {
    for (const id of ids) {
      this.nodes.get(id)?.place.kill();
      this.nodes.delete(id);
    }
    return this.phones.dropAllOfTheDead();
  }

  running(): readonly ScaleNode[] {
    return [...this.nodes.values()];
  }

  /** Returns the total weight of the devices on each node. */
  loads(): readonly number[] {
    const weightOf = (id: string): number => 1 + perMinuteOf(Number(id.slice(id.indexOf('.d') + 2)));
    return this.running().map(({ actors }) => actors.present(KIND).reduce((sum, id) => sum + weightOf(id), 0));
  }

  #storeOf(place: Place): Store {
    const passage: Passage = (apply, call) =>
      new Promise((resolve, reject) => {
        this.clock.after(STORE_MS / 2, () => {
          if (place.isKilled) return;
          const answer = attempt(apply);
          const documents = documentsIn(answer.value);
          this.ledger.noteStore(call, documents);
          const settle = (): void => ('error' in answer ? reject(answer.error) : resolve(answer.value));
          this.clock.after(STORE_MS / 2 + documents * DOCUMENT_MS, () => place.deliver(settle));
        });
      });
    return this.mongo.store(passage, place.clock);
  }
}

/** The default of LOGINS_PER_SECOND. */
export const USUAL_LOGINS = 200;
/** The cautious rate of logins: see docs/capacity-measurements.md. */
export const SLOW_LOGINS = 20;

function attempt<T>(apply: () => T): { readonly value: T } | { readonly value: never; readonly error: unknown } {
  try {
    return { value: apply() };
  } catch (error) {
    return { value: undefined as never, error };
  }
}

/** Number of documents in a batch of a find; the first one also has the ids of the rest. */
function documentsIn(answer: unknown): number {
  const batch = isRecord(answer) && 'begin' in answer ? answer['begin'] : answer;
  return Array.isArray(batch) ? batch.length : 0;
}

function neverNull(): never {
  throw new Error('a cluster over Redis counts together');
}

/** Returns all leases that nodes hold, according to Redis. */
export const leasesOf = (world: ScaleWorld): readonly HeldBy[] =>
  world.running().flatMap(({ cluster }) => cluster.leases.held().flatMap((lease) => (lease instanceof HeldLease ? [lease] : [])));

/** Returns the channels to which each node subscribes. */
export const channelsOf = (world: ScaleWorld): readonly Channel[] =>
  world.running().flatMap(({ id, cluster: { self } }) => {
    const own = `to:${self.id}/${self.boot}`;
    return ['members', 'all:rebalancer.look', 'all:actors.moved', own].map((channel) => ({ node: id, channel }));
  });
