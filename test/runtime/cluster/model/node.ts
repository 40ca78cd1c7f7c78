import pino from 'pino';
import { LoginRateLimiter } from '../../../../actors/device/effects/login-rate-limiter.ts';
import { DEVICE_EFFECTS, type DeviceEffect } from '../../../../actors/device/protocol.ts';
import { type DeviceKind, deviceKind } from '../../../../actors/device/register.ts';
import type { DeviceFiles } from '../../../../actors/services/media/device-files.ts';
import type { EffectHandler } from '../../../../runtime/actor-system/actor.ts';
import { ActorSystem } from '../../../../runtime/actor-system/system.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { createCluster } from '../../../../runtime/cluster/cluster.ts';
import { ClusterActors } from '../../../../runtime/cluster/cluster-actors.ts';
import { nameOf } from '../../../../runtime/cluster/lease-owner.ts';
import type { Cluster, Coordination, HeldBy, Lease } from '../../../../runtime/cluster/port.ts';
import { Rebalancer } from '../../../../runtime/cluster/rebalancer.ts';
import { type Random, seededRandom } from '../../../../runtime/random.ts';
import { startIdentities } from '../../../../scripts/wiring/identities.ts';
import { chatTimersIn } from '../../../../store/conversations/chat-timers.ts';
import { chatsIn } from '../../../../store/conversations/chats.ts';
import { credentialRowsIn } from '../../../../store/devices/credentials.ts';
import { deviceDaysIn } from '../../../../store/devices/device-days.ts';
import { deviceDirectoryIn } from '../../../../store/devices/device-directory.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { deferredMediaIn } from '../../../../store/messaging/deferred-media.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { sendQueueIn } from '../../../../store/sending/send-queue.ts';
import type { SimulatedRedis } from '../../../support/coordination.ts';
import type { Guards } from './guards.ts';
import type { MemoryStore } from './memory-store.ts';
import type { PhoneNetwork } from './phone-network.ts';
import type { Process } from './process.ts';
import type { Roads } from './roads.ts';

export const TTL_MS = 10_000;
const REBALANCE_MS = 2_000;
/** Few, so that logins have to wait for their turn: much can happen meanwhile. */
const LOGINS_PER_SECOND = 1;
const LATE_CLOSE_MS = 300;

/** What a node finds around it. */
export interface Surroundings {
  readonly redis: SimulatedRedis;
  readonly store: MemoryStore;
  readonly network: PhoneNetwork;
  readonly roads: Roads;
  readonly random: Random;
  readonly guards: Guards;
}

/** One started node: the real cluster, actors, device and rebalancer, wired as scripts/wiring/actors.ts does. */
export interface Node {
  readonly process: Process;
  readonly cluster: Cluster;
  readonly actors: ActorSystem;
  readonly everywhere: ClusterActors;
  readonly rebalancer: Rebalancer;
  start(): Promise<void>;
  /** SIGTERM. */
  leave(): Promise<void>;
}

export function aNode(process: Process, around: Surroundings): Node {
  const { clock } = process;
  const coordination = coordinationOf(process, around);
  const cluster = createCluster(coordination, { nodeId: process.node, boot: process.boot, ttlMs: TTL_MS, clock, log: SILENT });
  const actors = new ActorSystem(clock);
  const everywhere = new ClusterActors(actors, cluster, clock);
  everywhere.register(devicesOf(process, around));
  const deps = { cluster, actors: everywhere, clock, failed: () => {} };
  const rebalancer = new Rebalancer(deps, { everyMs: REBALANCE_MS, mostMoves: 2 });
  return {
    process,
    cluster,
    actors,
    everywhere,
    rebalancer,
    async start() {
      await cluster.start();
      rebalancer.start();
    },
    async leave() {
      rebalancer.stop();
      cluster.announce({ state: 'draining' });
      await Promise.allSettled(actors.present('device').map((id) => everywhere.evict('device', id, true, 5_000)));
      await everywhere.shutdown(5_000);
      await cluster.leave();
    },
  };
}

/** The model sends texts only. */
const none = () => Promise.reject(new Error('there are no files here'));
const NO_FILES: DeviceFiles = { open: none, keepInbound: none, dropInbound: none };
const SILENT = pino({ level: 'silent' });

/** Devices whose lines know in the name of which epoch they speak, without the guards that are taken away. */
function devicesOf(process: Process, { store, network, roads, random, guards }: Surroundings): DeviceKind {
  const { clock } = process;
  const seen = store.seenBy(process, roads);
  const ownRandom = seededRandom(Math.floor(random() * 2 ** 32));
  const [devices, messages] = [devicesIn(seen), messagesIn(seen)];
  const people = startIdentities(seen, { devices, messages, chats: chatsIn(seen), clock });
  const kindFor = (epoch: number): DeviceKind =>
    deviceKind({
      network: network.seenBy(process, epoch),
      officialDriver: () => Promise.reject(new Error('no device is official here')),
      ...people,
      keepMemberReceipts: async () => {},
      tellPresence: async () => {},
      presenceWatch: { isWatched: () => false, onChange: () => () => {} },
      devices,
      deviceDirectory: { wanted: deviceDirectoryIn(seen).wanted, unpublished: async () => [] },
      credentialRows: credentialRowsIn(seen),
      messages,
      record: async () => {},
      whyNot: async () => null,
      queue: sendQueueIn(seen),
      days: deviceDaysIn(seen),
      files: NO_FILES,
      linkPreviews: { find: async () => null },
      loginRateLimiter: gate,
      clock,
      random: ownRandom,
      log: SILENT,
      habits: [],
      history: 0,
      loginRefused: () => {},
      unknown: { note: () => {} },
      refusedForNow: () => {},
      builds: {
        prepare: async () => {},
        forLogin: () => ({ version: '2.3000.1', isTried: false }),
        heard: () => {},
        current: async () => '2.3000.1',
      },
      node: process.node,
      store: {},
      outboxHandlers: [],
      tell: async () => {},
      isPlatformChat: async () => false,
      rememberChats: async () => {},
      keptSince: async () => 0,
      olderLoaded: async () => {},
      readElsewhere: async () => {},
      keepChatMarks: async () => {},
      keepCleared: async () => {},
      keepSavedName: async () => {},
      mirrorChats: async () => {},
      groups: { find: async () => null },
      keepFacts: async () => {},
      keepAnswer: async (_answered, _name, _input, answer) => answer,
      onCall: async () => {},
      publications: { stats: async () => {}, viewed: async () => {} },
      deferredMedia: deferredMediaIn(seen),
      chats: chatsIn(seen),
      chatTimers: chatTimersIn(seen),
      secrets: { seal: (_row, secret) => secret, open: () => null },
      pacingOf: async () => ({ minDelayMs: 0, maxDelayMs: 0 }),
    });
  const gate = new LoginRateLimiter(clock, LOGINS_PER_SECOND);
  return {
    ...kindFor(0),
    ...(!guards.checksLease && { effectScopes: UNCHECKED }),
    effectHandler(id, self, facts, lease) {
      const effectHandler = kindFor(facts.owner.epoch).effectHandler(id, self, facts, guards.checksLease ? lease : alwaysSafe(lease));
      return guards.closesFirst ? effectHandler : closingLate(effectHandler, clock);
    },
  };
}

function closingLate(effectHandler: EffectHandler<DeviceEffect>, clock: Clock): EffectHandler<DeviceEffect> {
  const late = (run: () => unknown): void => void clock.after(LATE_CLOSE_MS, run);
  return {
    perform: (effect) => (effect.do === 'hangUp' ? late(() => effectHandler.perform(effect)) : effectHandler.perform(effect)),
    release: () => late(() => effectHandler.release?.()),
  };
}

/** As if nothing had to wait for a proof of the lease. */
const UNCHECKED = Object.fromEntries(Object.keys(DEVICE_EFFECTS).map((effect) => [effect, 'fenced'])) as typeof DEVICE_EFFECTS;

const alwaysSafe = (lease: Lease): Lease => ({ key: lease.key, isSafe: () => true, onLost: (receive) => lease.onLost(receive) });

/** Without that guard, what any start of this node holds is taken over. */
async function taken(far: Coordination, { key, holder }: HeldBy, ttlMs: number, { leavesFormer }: Guards): Promise<string | null> {
  const found = await far.acquire(key, holder, ttlMs);
  const isOurs = found !== null && found !== holder && nameOf(found).id === nameOf(holder).id;
  return isOurs && !leavesFormer && (await far.replace(key, found, holder, ttlMs)) ? holder : found;
}

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
    beat: (member, ttlMs, isForced) => here(far.beat(member, ttlMs, isForced)),
    part: (self) => here(far.part(self)),
    acquire: (key, holder, ttlMs) => here(taken(far, { key, holder }, ttlMs, guards)),
    replace: (key, found, holder, ttlMs) => here(far.replace(key, found, holder, ttlMs)),
    renew(leases, ttlMs) {
      const answer = here(far.renew(leases, ttlMs));
      return guards.doubtsSilence ? answer : answer.catch(() => leases.map(() => true as const));
    },
    release: (leases) => here(far.release(leases)),
    holders: (keys) => here(far.holders(keys)),
    count: (calls) => here(far.count(calls)),
    acquireSeat: (room, seat, most, ttlMs) => here(far.acquireSeat(room, seat, most, ttlMs)),
    releaseSeat: (room, seat) => here(far.releaseSeat(room, seat)),
    publish: (channel, text) => here(far.publish(channel, text)),
    subscribe: (channel, receive) => here(far.subscribe(channel, (text) => process.deliver(() => receive(text)))),
    ping: () => here(far.ping()),
    close: () => far.close(),
  };
}
