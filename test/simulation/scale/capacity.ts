/**
 * The arithmetic of docs/capacity.md: how many nodes, how much of Redis and how much of MongoDB a number of devices and
 * messages needs. It derives from counts of the simulation and of a whole gateway, and from costs that were measured;
 * each constant says which.
 */
import type { GatewayWork } from './gateway-work.ts';

export interface Order {
  readonly devices: number;
  /** Messages of a day, sent and received. */
  readonly messages: number;
}

/** µs of a Redis core; docs/capacity-measurements.md says which are measured. */
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
  /** Shares of one core. */
  readonly redisLeases: number;
  readonly redisMessages: number;
  readonly redisEvents: number;
  readonly writes: number;
  readonly reads: number;
  /** Gigabytes of a year's messages, and of a week's events, before compression, indexes included. */
  readonly messagesGb: number;
  readonly eventsGb: number;
}

/** Devices of one node: docs/driver-performance.md measured 3,000, which have 685 MB when linked and 1.5 GB after talking. */
const DEVICES_OF_A_NODE = 3_000;
/** CPU of a message with its receipts and events, in ms: docs/driver-performance.md has 2.0 with eight at a time, without webhooks. */
const MESSAGE_MS = 3;
/** A node is planned for half of one core, as one process has one event loop. */
const BUSY_SHARE = 0.5;
/** One node in ten may be away: a rack, or an upgrade. */
const SPARE = 1.1;
/** The busiest hour has this many times the messages of an average one. An assumption. */
const PEAK = 4;
const DAY_S = 86_400;
/** Leases are renewed, and nodes beat, every third of their life of 10 s. */
const RENEW_EVERY_S = 10 / 3;
/** Counting under the limits, finding the device's node, telling it, and the same for the answer. */
const COMMANDS_OF_A_MESSAGE = 3;
/** Events that a text causes: sent, delivered, read. Each goes to every node. */
const EVENTS_OF_A_TEXT = 3;
/** Bytes of one entry of an index, and the indexes that a sent and read message is in. Assumptions. */
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

/** Seconds between two looks of the rebalancer: five, or five times what reading every device takes. */
const lookEvery = (devices: number): number => Math.max(5, (5 * devices * READ_MS) / 1_000);
/** ms to read one device, as the simulation assumes. */
const READ_MS = 0.007;
