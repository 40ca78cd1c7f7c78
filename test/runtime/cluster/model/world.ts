import { deviceActorId } from '../../../../actors/device/actor-id.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { leaseKey } from '../../../../runtime/cluster/leased-actor.ts';
import { type Random, seededRandom } from '../../../../runtime/random.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import type { MessageRow } from '../../../../store/messaging/messages.ts';
import { SimulatedRedis } from '../../../support/coordination.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import type { Guards } from './guards.ts';
import { MemoryStore } from './memory-store.ts';
import { aNode, type Node, type Surroundings, TTL_MS } from './node.ts';
import { Oracle } from './oracle.ts';
import { PhoneNetwork } from './phone-network.ts';
import { Process } from './process.ts';
import { Roads } from './roads.ts';

const TENANT = 't';
/** As in actors/device/behaviour/sending.ts. The hour that it takes besides passes only where a clock is wrong. */
const MAX_ATTEMPTS = 6;
const DEVICES = ['d0', 'd1', 'd2'];

/** Everything between the messages that were accepted and the phones that get them, made from one seed. */
export class World {
  readonly time: VirtualClock;
  readonly random: Random;
  readonly oracle: Oracle;
  readonly roads: Roads;
  readonly redis: SimulatedRedis;
  readonly store: MemoryStore;
  readonly network: PhoneNetwork;
  readonly devices = DEVICES;
  readonly nodeIds: readonly string[];
  /** The processes of each node, the youngest last: normally one. */
  readonly nodes = new Map<string, Node[]>();
  readonly #around: Surroundings;
  /** Some wall clock went wrong in this world. */
  hasJumped = false;
  #boots = 0;
  #messages = 0;

  constructor(seed: number, guards: Guards) {
    this.time = new VirtualClock(Date.UTC(2026, 0, 1), turnAround);
    this.random = seededRandom(seed);
    this.oracle = new Oracle(this.time);
    this.roads = new Roads(this.time, this.random);
    this.redis = new SimulatedRedis(this.time);
    this.store = new MemoryStore(this.oracle, guards);
    this.network = new PhoneNetwork(this.oracle, this.roads, guards);
    this.redis.weather = ({ node }) => ({ requestMs: this.roads.travelMs(node, 'redis'), replyMs: this.roads.travelMs(node, 'redis') });
    const { redis, store, network, roads, random } = this;
    this.#around = { redis, store, network, roads, random, guards };
    this.nodeIds = Array.from({ length: 2 + Math.floor(this.random() * 3) }, (_, i) => `n${i}`);
    for (const id of DEVICES)
      this.store.put('devices', {
        ...newDevice(TENANT, null, null, this.time.now()),
        _id: id,
        wanted: true,
        credentials: {},
        status: 'disconnected',
        phone_number: id,
        secret: '',
      });
  }

  /** Starts a process of this node; one that cannot join is started again. */
  boot(nodeId: string): void {
    const process = new Process(nodeId, `b${++this.#boots}`, this.time);
    const node = aNode(process, this.#around);
    this.nodes.set(nodeId, [...(this.nodes.get(nodeId) ?? []).filter((older) => !older.process.isKilled), node]);
    this.oracle.note(`${nodeId}/${process.boot} starts`);
    node.start().catch(() => {
      process.kill();
      this.time.after(1_000, () => this.boot(nodeId));
    });
  }

  running(): Node[] {
    return [...this.nodes.values()].flat().filter(({ process }) => process.isRunning);
  }

  /** The API of any node accepts a message and drops a hint. */
  send(device: string): void {
    const id = `m${++this.#messages}`;
    this.store.put('messages', aMessage(id, device, this.time.now()));
    const [node] = this.running();
    node?.everywhere.ref<{ type: 'workArrived' }>('device', deviceActorId(TENANT, device)).tell({ type: 'workArrived' });
  }

  /** A Redis that lost what it knew and cannot tell: for the rest of a lease's life two may believe that they own a device. */
  forgetSilently(): void {
    this.oracle.excuse(TTL_MS + 2_000);
    this.redis.leap(TTL_MS);
  }

  forget(): void {
    this.store.epochsInRedis = 0;
    this.redis.flush();
  }

  /** What is neither with the network nor, after as many tries as a message has and by a clock that jumped, honestly given up. */
  unsent(): readonly string[] {
    const isDone = ({ _id, status, attempts }: MessageRow): boolean =>
      (status === 'sent' && this.oracle.hasAccepted(_id)) || (status === 'failed' && attempts > MAX_ATTEMPTS && this.hasJumped);
    return this.store.messages().flatMap((row) => (isDone(row) ? [] : [`${row._id} ${row.status}`]));
  }

  unowned(): readonly string[] {
    const held = new Set(this.running().flatMap(({ cluster }) => cluster.leases.held().map(({ key }) => key)));
    return this.devices.filter((device) => !held.has(leaseKey('device', deviceActorId(TENANT, device))));
  }

  offline(): readonly string[] {
    return this.devices.filter((device) => !this.network.isOnline(device));
  }
}

/** Nothing here waits for anything but promises. */
function turnAround(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function aMessage(id: string, device: string, now: number): MessageRow {
  return aMessageRow({
    _id: id,
    tenant_id: TENANT,
    session_id: device,
    chat_id: '491@s.whatsapp.net',
    net_id: `3EB0${id}`,
    created_at: now,
  });
}
