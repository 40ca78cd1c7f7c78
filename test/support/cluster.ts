import { pino } from 'pino';
import { plansFrom } from '../../actors/domain/plans.ts';
import type { Network } from '../../actors/network/port.ts';
import { createSandbox, type Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import { createCluster } from '../../runtime/cluster/cluster.ts';
import type { ClusterLog } from '../../runtime/cluster/port.ts';
import { seededRandom } from '../../runtime/random.ts';
import { VirtualClock } from '../../runtime/testing/virtual-clock.ts';
import { type Config, readConfig } from '../../scripts/wiring/config.ts';
import { type Node, startNode } from '../../scripts/wiring/node.ts';
import type { Store } from '../../store/port.ts';
import { busyStore } from './busy-store.ts';
import { type Place, SimulatedRedis } from './coordination.ts';
import { type Api, calling, type Gateway, linkPlatformSender, signUp, type Tenant, until } from './gateway.ts';
import { linkedStore, type StoreLink } from './linked-store.ts';
import { aDirectory, type Scope, type StoreKind, storeOfGateway } from './stores.ts';

/** Lease duration in these tests. Its third is an integer, as the clock counts in whole milliseconds. */
export const LEASE_MS = 9_000;

/** One node of a cluster: a gateway whose calls let virtual time pass while they are pending. */
export interface ClusterNode extends Gateway {
  readonly id: string;
  readonly place: Place;
  /** This node's own link to the store. The store and other nodes' links are not affected. */
  readonly storeLink: StoreLink;
  /** Kills the process; its leases expire by themselves. `crash` also starts a successor. */
  kill(): Promise<void>;
  /** Drains the node, like SIGTERM. Returns the duration in virtual ms. */
  stop(): Promise<number>;
}

/** Several nodes in one process, over one simulated Redis, one store and one sandbox network. */
export interface Cluster {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
  readonly redis: SimulatedRedis;
  /** Data directory of all nodes. */
  readonly directory: string;
  /** Starts or restarts a node. `config`: settings for this node only. */
  node(id: string, config?: Partial<Config>): Promise<ClusterNode>;
  /**
   * Returns each node's load as `node` reports it to an operator: `{a: 2, b: 1}`. An idle device counts 1, and so does
   * the platform's sender.
   */
  loads(node: ClusterNode): Promise<Readonly<Record<string, number>>>;
  /** Returns the node that holds each device's lease, in the order of the devices. */
  owners(fleet: Fleet): readonly (string | null)[];
  /** Makes a tenant with `count` online devices, linked through these nodes in turn. */
  fleet(count: number, ...through: readonly ClusterNode[]): Promise<Fleet>;
  /** Lets time pass until `check` returns a truthy value. Returns the duration in virtual ms. */
  waited(what: string, check: () => Promise<unknown> | unknown): Promise<number>;
}

export interface Fleet {
  readonly tenant: Tenant;
  /** Devices in the order of linking. */
  readonly devices: readonly FleetDevice[];
  /** Returns the tenant's API at this node. */
  at(node: ClusterNode): Api;
}

export interface FleetDevice {
  readonly id: string;
  readonly path: string;
  readonly phone: string;
}

interface World {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
  readonly redis: SimulatedRedis;
  readonly store: Store;
  /** Data directory of all nodes. */
  readonly directory: string;
  readonly config: Partial<Config>;
  boots: number;
  readonly running: Set<ClusterNode>;
}

const quiet: ClusterLog = { info() {}, warn() {}, error() {} };

/** Makes an empty world for nodes. Plan limits are off, because these tests are not about them. */
export async function aCluster(scope: Scope, kind: StoreKind, config: Partial<Config> = {}): Promise<Cluster> {
  const running = new Set<ClusterNode>();
  // Registered before the store is created, so that the store is closed after the nodes.
  scope.after(() => Promise.all([...running].map((node) => node.stop())));
  const clock = new VirtualClock();
  const sandbox = createSandbox({ clock, random: seededRandom(1) });
  const { store, isBusy, completed } = busyStore(await storeOfGateway(kind, scope));
  clock.waitWhile(isBusy, 'the store', { completed });
  const directory = aDirectory(scope);
  const world: World = { clock, sandbox, redis: new SimulatedRedis(clock), store, directory, config, boots: 0, running };
  return {
    clock,
    sandbox,
    redis: world.redis,
    directory,
    node: (id, own) => startIn(world, id, own),
    loads,
    owners: ({ tenant, devices }) => devices.map(({ id }) => ownerOf(world.redis.holder(`device/${tenant.id}.${id}`))),
    fleet: (count, ...through) => aFleet(world, count, through),
    async waited(what, check) {
      const since = clock.monotonic();
      await until(clock, what, check);
      return clock.monotonic() - since;
    },
  };
}

async function startIn(world: World, id: string, own: Partial<Config> = {}): Promise<ClusterNode> {
  const { clock, config, redis, sandbox, store } = world;
  world.boots += 1;
  const place = redis.place(id);
  const network = sandbox.network();
  const { store: linked, link: storeLink } = linkedStore(store);
  const node = await passing(
    clock,
    startNode(
      { ...configOf(world, id), ...config, ...own },
      {
        clock: place.clock,
        store: linked,
        network,
        random: seededRandom(10 + world.boots),
        log: pino({ level: 'silent' }),
        checkAnswers: true,
        cluster: createCluster(place.coordination, {
          nodeId: id,
          boot: `boot${world.boots}`,
          ttlMs: LEASE_MS,
          clock: place.clock,
          log: quiet,
        }),
      },
    ),
  );
  const running = faceOf(world, { id, place, network, node, storeLink });
  await linkPlatformSender(running);
  return running;
}

interface Parts {
  readonly id: string;
  readonly place: Place;
  readonly network: Network;
  readonly node: Node;
  readonly storeLink: StoreLink;
}

function faceOf(world: World, { id, place, network, node, storeLink }: Parts): ClusterNode {
  const { clock, sandbox, store, redis, running } = world;
  const speaking = (credentials: Readonly<Record<string, string>>): Api => {
    const call = calling(node.url, credentials);
    return (...request) => passing(clock, call(...request));
  };
  const face: ClusterNode = {
    id,
    place,
    storeLink,
    clock,
    sandbox,
    store,
    node,
    api: speaking({}),
    operator: speaking({ 'x-admin-secret': node.secrets.admin }),
    as: (token) => speaking({ authorization: `Bearer ${token}` }),
    until: (what, check) => until(clock, what, check),
    during: (work) => passing(clock, work),
    signUp: (name = 'Acme', phone = '+62 811-0000-9999') => signUp(face, name, phone),
    async kill() {
      running.delete(face);
      redis.partition(id);
      place.kill();
      await node.actors.shutdown();
      await passing(clock, Promise.all([network.shutdown(), node.http.stop({ timeoutMs: 0 })]));
      redis.heal(id);
    },
    async crash() {
      await face.kill();
      return startIn(world, id);
    },
    async stop() {
      running.delete(face);
      const since = clock.monotonic();
      await passing(clock, node.stop());
      return clock.monotonic() - since;
    },
  };
  running.add(face);
  return face;
}

const MANY = 1_000_000;
const UNLIMITED = { free: { devices: MANY, messages: MANY, send_per_minute: MANY, key_cap: MANY } };

function configOf({ directory }: World, id: string): Config {
  return {
    ...readConfig({}, '/nowhere'),
    port: 0,
    data_dir: directory,
    node_id: id,
    admin_secret: 'the operator of the cluster',
    jwt_secret: 'what all nodes of the cluster sign with',
    lease_ttl_ms: LEASE_MS,
    plans: plansFrom(UNLIMITED),
  };
}

async function loads({ operator }: ClusterNode): Promise<Readonly<Record<string, number>>> {
  const { status, body } = await operator('GET', '/v1/admin/nodes');
  if (status !== 200) throw new Error(`the nodes were not shown: ${status} ${JSON.stringify(body)}`);
  return Object.fromEntries((body.nodes as { id: string; load: number }[]).map(({ id, load }) => [id, load]));
}

const ownerOf = (holder: string | null): string | null => holder?.split('/')[0] ?? null;

async function aFleet({ clock, sandbox }: World, count: number, through: readonly ClusterNode[]): Promise<Fleet> {
  const tenant = await through[0]!.signUp();
  const at = (node: ClusterNode): Api => node.as(tenant.tokens.token);
  const devices: FleetDevice[] = [];
  for (let i = 0; i < count; i += 1) {
    const api = at(through[i % through.length]!);
    const phone = `62811000${String(10_000 + i)}`;
    const { id } = (await api('POST', '/v1/sessions', {})).body;
    const path = `/v1/sessions/${id}`;
    await api('POST', `${path}/connect`);
    const qr = await until(clock, 'a code to scan', async () => (await api('GET', `${path}/qr`)).body.qr);
    sandbox.phone(phone).scan({ qr });
    await until(clock, 'the device is online', async () => (await api('GET', path)).body.status === 'connected');
    devices.push({ id, path, phone });
  }
  return { tenant, devices, at };
}

const AT_ONCE_ROUNDS = 20;
const STEP_MS = 25;

/**
 * Lets `work` complete: first without virtual time, because sockets and threads need only real time, then step by
 * step.
 */
async function passing<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isUnder = true;
  const over = (): void => {
    isUnder = false;
  };
  work.then(over, over);
  for (let round = 0; isUnder; round += 1) {
    await clock.advance(round < AT_ONCE_ROUNDS ? 0 : STEP_MS);
    if (isUnder) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return work;
}
