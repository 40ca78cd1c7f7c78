/**
 * The arithmetic of docs/capacity.md: how many nodes, and how much of Redis and MongoDB, a given number of devices and
 * messages needs. The inputs are counts from the simulation and from a complete gateway, and measured costs. Each
 * constant states its source.
 */
import type { GatewayWork } from './gateway-work.ts';

export interface Order {
  readonly devices: number;
  /** Number of messages sent and received per day. */
  readonly messages: number;
}

/** Costs in µs of a Redis core. docs/capacity-measurements.md says which of them were measured. */
export interface RedisCosts {
  readonly renewedKey: number;
  readonly lookedUpKey: number;
  readonly command: number;
  readonly delivery: number;
}

export interface Needs {
  readonly nodes: number;
  readonly messagesPerSecond: number;
  readonly redisCommands: number;
  /** These loads are fractions of one core. */
  readonly redisLeases: number;
  readonly redisMessages: number;
  readonly redisEvents: number;
  readonly writes: number;
  readonly reads: number;
  /** Gigabytes for a year of messages and a week of events, before compression and including indexes. */
  readonly messagesGb: number;
  readonly eventsGb: number;
}

/** Devices per node. docs/driver-performance.md measured 3,000: 685 MB when linked, 1.5 GB after exchanging messages. */
const DEVICES_OF_A_NODE = 3_000;
/** CPU ms per message with receipts and events. docs/driver-performance.md measured 2.0 without webhooks. */
const MESSAGE_MS = 3;
/** Planned load of a node in cores. A process has one event loop, so it cannot use more than one core. */
const BUSY_SHARE = 0.5;
/** Allows one node in ten to be down, because of a failed rack or an upgrade. */
const SPARE = 1.1;
/** Assumed ratio of the busiest hour's messages to those of an average hour. */
const PEAK = 4;
const DAY_S = 86_400;
/** Leases last 10 s. Nodes renew them and send heartbeats after a third of that time. */
const RENEW_EVERY_S = 10 / 3;
/** Redis commands per message: count it against the limits, find the device's node, and forward the call. */
const COMMANDS_OF_A_MESSAGE = 3;
/** Number of events per text (sent, delivered, read). Each is published to every node. */
const EVENTS_OF_A_TEXT = 3;
/** Assumed bytes per index entry, and assumed number of index entries per message that was sent and read. */
const INDEX_ENTRY = 60;
const INDEXES = 10;
const EVENT_DAYS = 7;
const GB = 1e9;

export function needsOf({ devices, messages }: Order, work: GatewayWork, redis: RedisCosts): Needs {
  const peak = (messages / DAY_S) * PEAK;
  const [texts, received] = [peak / 2, peak / 2];
  const byDevices = devices / DEVICES_OF_A_NODE;
  const byCpu = (peak * MESSAGE_MS) / 1_000 / BUSY_SHARE;
  const nodes = Math.max(2, Math.ceil(Math.max(byDevices, byCpu) * SPARE));
  const lookEveryS = lookEvery(devices);
  const events = texts * EVENTS_OF_A_TEXT + received;
  const core = (perSecond: number, us: number): number => (perSecond * us) / 1e6;
  return {
    nodes,
    messagesPerSecond: peak,
    redisCommands: devices / 1_000 / RENEW_EVERY_S + nodes / RENEW_EVERY_S + nodes + peak * COMMANDS_OF_A_MESSAGE + events,
    redisLeases: core(devices / RENEW_EVERY_S, redis.renewedKey) + core(devices / lookEveryS, redis.lookedUpKey),
    redisMessages: core(peak * COMMANDS_OF_A_MESSAGE, redis.command),
    redisEvents: core(events * nodes, redis.delivery),
    writes: texts * work.text.writes + received * work.received.writes + (nodes * work.idleMinute.writes) / 60,
    reads: texts * work.text.reads + received * work.received.reads + (nodes * work.idleMinute.reads) / 60,
    messagesGb: (365 * messages * ((work.bytes.get('messages') ?? 0) + INDEXES * INDEX_ENTRY)) / GB,
    eventsGb: (EVENT_DAYS * (messages / 2) * (EVENTS_OF_A_TEXT + 1) * (work.bytes.get('events') ?? 0)) / GB,
  };
}

/** Returns the seconds between two rebalancer rounds: at least five, and five times the time to read every device. */
const lookEvery = (devices: number): number => Math.max(5, (5 * devices * READ_MS) / 1_000);
/** Time in ms to read one device, as assumed in the simulation. */
const READ_MS = 0.007;
