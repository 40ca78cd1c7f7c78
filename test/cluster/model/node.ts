import pino from 'pino';
import type { DeviceFiles } from '../../../actors/device/files.ts';
import { LoginGate } from '../../../actors/device/login-gate.ts';
import type { DeviceCommand, DeviceEffect } from '../../../actors/device/protocol.ts';
import { type DeviceKind, deviceKind } from '../../../actors/device/spawn.ts';
import { weigh } from '../../../actors/device/weight.ts';
import type { Hands } from '../../../runtime/actor.ts';
import { type Chance, seededChance } from '../../../runtime/chance.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { ClusterActors } from '../../../runtime/cluster/actors.ts';
import { clusterOver } from '../../../runtime/cluster/cluster-over.ts';
import { leased } from '../../../runtime/cluster/leased.ts';
import type { Cluster, Coordination, Lease } from '../../../runtime/cluster/port.ts';
import { Steward } from '../../../runtime/cluster/steward.ts';
import { ActorSystem } from '../../../runtime/system.ts';
import { startPeople } from '../../../scripts/start-people.ts';
import { chatsIn } from '../../../store/chats.ts';
import { deviceDaysIn } from '../../../store/device-days.ts';
import { devicesIn } from '../../../store/devices.ts';
import { fleetIn } from '../../../store/fleet.ts';
import { keyringsIn } from '../../../store/keyrings.ts';
import { leftFilesIn } from '../../../store/left-files.ts';
import { messagesIn } from '../../../store/messages.ts';
import { queueIn } from '../../../store/queue.ts';
import type { SimulatedRedis } from '../../support/coordination.ts';
import type { Guards } from './guards.ts';
import type { MemoryStore } from './memory-store.ts';
import type { PhoneNetwork } from './phone-network.ts';
import type { Process } from './process.ts';
import type { Roads } from './roads.ts';

export const TTL_MS = 10_000;
const STEWARD_MS = 2_000;
/** Few, so that logins have to wait for their turn: much can happen meanwhile. */
const LOGINS_PER_SECOND = 1;
const LATE_CLOSE_MS = 300;

/** What a node finds around it. */
export interface Surroundings {
  readonly redis: SimulatedRedis;
  readonly store: MemoryStore;
  readonly network: PhoneNetwork;
  readonly roads: Roads;
  readonly chance: Chance;
  readonly guards: Guards;
}

/** One started node: the real cluster, actors, device and steward, wired as scripts/start-actors.ts does. */
export interface Node {
  readonly process: Process;
  readonly cluster: Cluster;
  readonly actors: ActorSystem;
  readonly everywhere: ClusterActors;
  readonly steward: Steward;
  start(): Promise<void>;
  /** SIGTERM. */
  leave(): Promise<void>;
}

export function aNode(process: Process, around: Surroundings): Node {
  const { clock } = process;
  const boot = around.guards.namesBoot ? process.boot : 'always the same';
  const coordination = coordinationOf(process, around);
  const cluster = clusterOver(coordination, { nodeId: process.node, boot, ttlMs: TTL_MS, clock, log: SILENT });
  const actors = new ActorSystem(clock);
  const { kind, gone } = leased(devicesOf(process, around), cluster.leases);
  actors.register(kind);
  const everywhere = new ClusterActors(actors, cluster, clock);
  const rest = async (id: string, must: boolean, timeoutMs: number): Promise<void> =>
    void (await actors.ref<DeviceCommand>('device', id).ask({ type: 'drain', must }, timeoutMs));
  everywhere.add({ kind: 'device', rest, gone });
  const fleet = fleetIn(around.store.seenBy(process, around.roads));
  const wanted = async () => (await fleet.wanted()).map((berth) => weigh(berth, clock.now()));
  const ports = { cluster, actors: everywhere, clock, wanted, failed: () => {} };
  const steward = new Steward(ports, { everyMs: STEWARD_MS, mostMoves: 2 });
  return {
    process,
    cluster,
    actors,
    everywhere,
    steward,
    async start() {
      await cluster.start();
      steward.start();
    },
    async leave() {
      steward.stop();
      cluster.announce({ state: 'draining' });
      await Promise.allSettled(actors.awake('device').map((id) => everywhere.letGo('device', id, true, 5_000)));
      await actors.shutdown();
      await cluster.leave();
    },
  };
}

/** The model sends texts only. */
const none = () => Promise.reject(new Error('there are no files here'));
const NO_FILES: DeviceFiles = { open: none, keepInbound: none, dropInbound: none };
const SILENT = pino({ level: 'silent' });

/** Devices whose lines know in the name of which epoch they speak, without the guards that are taken away. */
function devicesOf(process: Process, { store, network, roads, chance, guards }: Surroundings): DeviceKind {
  const { clock } = process;
  const seen = store.seenBy(process, roads);
  const luck = seededChance(Math.floor(chance() * 2 ** 32));
  const [devices, messages] = [devicesIn(seen), messagesIn(seen)];
  const people = startPeople(seen, { devices, messages, chats: chatsIn(seen) });
  const kindFor = (epoch: number): DeviceKind =>
    deviceKind({
      network: network.seenBy(process, epoch),
      ...people,
      devices,
      keyrings: keyringsIn(seen),
      messages,
      record: async () => {},
      queue: queueIn(seen),
      days: deviceDaysIn(seen),
      files: NO_FILES,
      gate,
      clock,
      chance: luck,
      log: SILENT,
      node: process.node,
      followUps: [],
      tell: async () => {},
      rememberChats: async () => {},
      readElsewhere: async () => {},
      leftFiles: leftFilesIn(seen),
      pacingOf: async () => ({ minDelayMs: 0, maxDelayMs: 0 }),
    });
  const gate = new LoginGate(clock, LOGINS_PER_SECOND);
  return {
    ...kindFor(0),
    hands(id, self, facts, lease) {
      const hands = kindFor(facts.owner.epoch).hands(id, self, facts, guards.checksLease ? lease : alwaysSafe(lease));
      return guards.closesFirst ? hands : closingLate(hands, clock);
    },
  };
}

function closingLate(hands: Hands<DeviceEffect>, clock: Clock): Hands<DeviceEffect> {
  const late = (run: () => unknown): void => void clock.after(LATE_CLOSE_MS, run);
  return {
    perform: (effect) => (effect.do === 'hangUp' ? late(() => hands.perform(effect)) : hands.perform(effect)),
    release: () => late(() => hands.release?.()),
  };
}

const alwaysSafe = (lease: Lease): Lease => ({ key: lease.key, isSafe: () => true, onLost: (hear) => lease.onLost(hear) });

/** Redis as this process reaches it: what Redis answers or tells waits while the process does not run. */
function coordinationOf(process: Process, { redis, guards }: Surroundings): Coordination {
  const far = redis.place(process.node).coordination;
  const here = <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      answer.then(
        (value) => process.deliver(() => resolve(value)),
        (cause) => process.deliver(() => reject(cause)),
      );
    });
  return {
    beat: (member, ttlMs) => here(far.beat(member, ttlMs)),
    part: (self) => here(far.part(self)),
    acquire: (key, holder, ttlMs) => here(far.acquire(key, holder, ttlMs)),
    renew(keys, owner, ttlMs) {
      const answer = here(far.renew(keys, owner, ttlMs));
      return guards.doubtsSilence ? answer : answer.catch(() => keys.map(() => true));
    },
    release: (leases) => here(far.release(leases)),
    holders: (keys) => here(far.holders(keys)),
    count: (calls) => here(far.count(calls)),
    sit: (room, seat, most, ttlMs) => here(far.sit(room, seat, most, ttlMs)),
    rise: (room, seat) => here(far.rise(room, seat)),
    publish: (channel, text) => here(far.publish(channel, text)),
    subscribe: (channel, hear) => here(far.subscribe(channel, (text) => process.deliver(() => hear(text)))),
    ping: () => here(far.ping()),
    close: () => far.close(),
  };
}
