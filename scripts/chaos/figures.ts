import type { JournalEntry } from '../../actors/network/sandbox/protocol.ts';
import { newDevice } from '../../actors/services/devices/new-device.ts';
import { pause, systemClock } from '../../runtime/clock.ts';
import { entry, present } from '../../runtime/invariant.ts';
import type { DeviceRow } from '../../store/devices/devices.ts';
import { until } from '../faults/processes.ts';
import type { Gateway } from './gateway.ts';
import { Presence } from './presence.ts';
import { World } from './world.ts';

export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly goal: string;
  readonly isMet: boolean;
}

const TTL_MS = 3_000;
const DEVICES = 300;
const SIZES = [100, 1_000, 10_000];
const ONLINE_WITHIN_MS = 600_000;
const CALM_MS = 5_000;
/** Long enough for every device to poll for work at least once. */
const IDLE_MS = 60_000;

export async function failoverFigures(mongodbUrl: string): Promise<readonly Figure[]> {
  const world = await World.open({ mongodbUrl, guard: 'on', ttlMs: TTL_MS });
  try {
    const presence = new Presence(world);
    await populate(world, 0, DEVICES);
    await presence.all(phonesOf(world), ONLINE_WITHIN_MS);
    await rest(world);
    return [...(await killed(world, presence)), ...(await terminated(world, presence)), ...(await drained(world, presence))];
  } finally {
    await world.close();
  }
}

async function killed(world: World, presence: Presence): Promise<readonly Figure[]> {
  const { node, phones } = await victimOf(world, presence);
  const at = systemClock.now();
  await node.kill();
  const back = timesOf('login', await afterLeaving(presence, phones));
  const times = phones.map((phone) => entry(back, phone) - at);
  await node.start();
  await rest(world);
  return [
    { name: `kill -9 → logged in again, p50 of ${phones.length}`, ...milliseconds(percentile(times, 0.5)), goal: '–', isMet: true },
    below('kill -9 → logged in again, p99', percentile(times, 0.99), TTL_MS + 2_000),
  ];
}

async function terminated(world: World, presence: Presence): Promise<readonly Figure[]> {
  const { node, phones } = await victimOf(world, presence);
  const since = systemClock.monotonic();
  const left = node.terminate().then(() => systemClock.monotonic() - since);
  const gaps = gapsIn(await afterLeaving(presence, phones), phones);
  const leftAfter = await left;
  await node.start();
  await rest(world);
  return [
    below(`SIGTERM → logged in again, offline p99 of ${phones.length}`, percentile(gaps, 0.99), 1_000),
    below('SIGTERM → exit 0', leftAfter, 10_000),
  ];
}

async function drained(world: World, presence: Presence): Promise<readonly Figure[]> {
  const { node, phones } = await victimOf(world, presence);
  const operator = present(
    world.gateways.find((one) => one !== node),
    'another gateway',
  );
  const since = systemClock.monotonic();
  await operator.call('POST', `/v1/admin/nodes/${node.id}/drain`);
  const gaps = gapsIn(await afterLeaving(presence, phones), phones);
  const tookMs = systemClock.monotonic() - since;
  await operator.call('POST', `/v1/admin/nodes/${node.id}/undrain`);
  return [
    below(`drain: ${phones.length} devices from one node to two`, tookMs, 30_000),
    below('drain: offline p99', percentile(gaps, 0.99), 1_000),
  ];
}

export async function sizeFigures(mongodbUrl: string, sizes: readonly number[] = SIZES): Promise<readonly Figure[]> {
  const world = await World.open({ mongodbUrl, guard: 'on', ttlMs: 10_000 });
  try {
    const presence = new Presence(world);
    await calm();
    const empty = await idle(world);
    const costs: Cost[] = [];
    for (const size of sizes) {
      const since = systemClock.monotonic();
      await populate(world, world.devices.length, size);
      await presence.all(phonesOf(world), ONLINE_WITHIN_MS);
      const onlineMs = systemClock.monotonic() - since;
      await rest(world);
      const { heap, rss, cpuUs } = await idle(world);
      const each = (now: number, before: number): number => (now - before) / size;
      costs.push({ size, onlineMs, heap: each(heap, empty.heap), rss: each(rss, empty.rss), cpuUs: each(cpuUs, empty.cpuUs) });
    }
    return costs.flatMap((cost) => costFigures(cost, costs));
  } finally {
    await world.close();
  }
}

interface Cost {
  readonly size: number;
  readonly onlineMs: number;
  readonly heap: number;
  readonly rss: number;
  readonly cpuUs: number;
}

/** A figure is flat if it is at most a fifth above the figure for the previous size. */
const FLAT = 1.2;

function costFigures(cost: Cost, costs: readonly Cost[]): readonly Figure[] {
  const before = costs[costs.indexOf(cost) - 1];
  const flat = (key: 'heap' | 'cpuUs') => ({
    goal: before ? `≤ ${FLAT} × that of ${before.size}` : '–',
    isMet: !before || cost[key] <= before[key] * FLAT,
  });
  const none = { goal: '–', isMet: true };
  return [
    { name: `${cost.size} devices: all online`, value: `${(cost.onlineMs / 1_000).toFixed(1)} s`, ...none },
    { name: `${cost.size} devices: heap each`, value: `${(cost.heap / 1_024).toFixed(1)} kB`, ...flat('heap') },
    { name: `${cost.size} devices: RSS each`, value: `${(cost.rss / 1_024).toFixed(1)} kB`, ...none },
    { name: `${cost.size} devices: idle CPU each`, value: `${cost.cpuUs.toFixed(1)} µs/s`, ...flat('cpuUs') },
  ];
}

async function idle(world: World): Promise<{ heap: number; rss: number; cpuUs: number }> {
  const weigh = () => Promise.all(world.gateways.map((gateway) => gateway.weigh()));
  const before = await weigh();
  await pause(systemClock, IDLE_MS);
  // Does not collect garbage again, because collecting would use CPU time that is being measured.
  const after = await Promise.all(world.gateways.map((gateway) => gateway.weigh(false)));
  const sum = (key: 'heap' | 'rss' | 'cpuUs', from: readonly Record<typeof key, number>[]): number =>
    from.reduce((total, one) => total + one[key], 0);
  return {
    heap: sum('heap', before),
    rss: sum('rss', before),
    cpuUs: (sum('cpuUs', after) - sum('cpuUs', before)) / (IDLE_MS / 1_000),
  };
}

/** Inserts devices that were never linked. The network adopts them when they log in. */
async function populate(world: World, from: number, to: number): Promise<void> {
  const rows = Array.from({ length: to - from }, (_, i) => deviceRow(String(6_284_000_000_000 + from + i)));
  await world.db.collection<DeviceRow>('devices').insertMany(rows);
  world.devices.push(...rows.map(({ _id, phone_number }) => ({ id: _id, phone: present(phone_number, 'a number') })));
}

function deviceRow(phone: string): DeviceRow {
  const credentials = { phone, device: 1, secret: `secret of ${phone}` };
  const row = newDevice('01JABCDEFGHJKMNPQRSTVWXYZ0', null, null, systemClock.now());
  return { ...row, phone_number: phone, credentials, wanted: true, status: 'connected' };
}

const phonesOf = (world: World): readonly string[] => world.devices.map(({ phone }) => phone);
const calm = (): Promise<void> => pause(systemClock, CALM_MS);

async function rest(world: World): Promise<void> {
  const share = world.devices.length / world.gateways.length;
  await until(ONLINE_WITHIN_MS, async () => {
    const loads = await Promise.all(world.gateways.map(({ id }) => world.db.collection('devices').countDocuments({ node: id })));
    return loads.every((load) => Math.abs(load - share) <= Math.max(2, share * 0.15));
  });
  await calm();
}

async function victimOf(world: World, presence: Presence): Promise<{ node: Gateway; phones: readonly string[] }> {
  const [node] = world.gateways;
  if (!node) throw new Error('no gateway runs');
  await presence.news();
  return { node, phones: (await world.devicesOf(node.id)).map(({ phone }) => phone) };
}

async function afterLeaving(presence: Presence, phones: readonly string[]): Promise<readonly JournalEntry[]> {
  const happened: JournalEntry[] = [];
  const found = await until(ONLINE_WITHIN_MS, async () => {
    happened.push(...(await presence.news()));
    const out = timesOf('logout', happened);
    const back = timesOf('login', happened);
    return phones.every((phone) => out.has(phone) && back.has(phone));
  });
  if (!found) {
    const missing = phones.filter((phone) => !timesOf('logout', happened).has(phone) || !timesOf('login', happened).has(phone));
    throw new Error(`${missing.length} of ${phones.length} devices did not leave and come back in time: ${missing.slice(0, 3).join(', ')}`);
  }
  return happened;
}

function timesOf(what: 'login' | 'logout', entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const entry of entries) if (entry.what === what && !times.has(entry.phone)) times.set(entry.phone, entry.at);
  return times;
}

function gapsIn(entries: readonly JournalEntry[], phones: readonly string[]): readonly number[] {
  const out = timesOf('logout', entries);
  const back = timesOf('login', entries);
  return phones.map((phone) => entry(back, phone) - entry(out, phone));
}

function percentile(values: readonly number[], part: number): number {
  const inOrder = values.toSorted((a, b) => a - b);
  return inOrder[Math.min(inOrder.length - 1, Math.ceil(part * inOrder.length) - 1)] ?? Number.NaN;
}

const milliseconds = (ms: number) => ({ value: `${Math.round(ms)} ms` });

function below(name: string, ms: number, goalMs: number): Figure {
  return { name, ...milliseconds(ms), goal: `< ${goalMs} ms`, isMet: ms < goalMs };
}
