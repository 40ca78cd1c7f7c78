import { type Chance, seededChance } from '../../runtime/chance.ts';
import { pause, systemClock } from '../../runtime/clock.ts';
import { expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';
import { moveIn } from './customer.ts';
import { wholeJournal } from './evidence.ts';
import { World, type WorldOptions } from './world.ts';

export interface BlastRunOptions extends WorldOptions {
  readonly seed: number;
  readonly recipients: number;
  readonly kills: number;
  /** Between two kills, at the most. */
  readonly everyMs: number;
  readonly onKill?: (nth: number, node: string, sent: number) => void;
}

/** What became of a campaign whose nodes were killed again and again. */
export interface BlastVerdict {
  readonly recipients: number;
  /** Kills while it ran. */
  readonly kills: number;
  /** Never reached, though it says completed. */
  readonly lost: number;
  /** Reached more than once. */
  readonly doubled: number;
  /** The campaign's own counts differ from what the network saw. */
  readonly miscounted: number;
  /** null: it never ended. */
  readonly endedAfterMs: number | null;
}

const LISTED_AT_ONCE = 10_000;
const ENDS_WITHIN_MS = 1_200_000;
/** Long enough that kills find it in every state, short enough for thousands: first contacts go at a fifth of it. */
const PACE = { min_delay_ms: 1, max_delay_ms: 3, typing: false };

/** One campaign on one device over three nodes: now and then one of them is killed, as often as not the one that runs the campaign or its device. */
export async function blastRun(options: BlastRunOptions): Promise<BlastVerdict> {
  const world = await World.open(options);
  try {
    const startedAt = systemClock.monotonic();
    const path = await begin(world, options.recipients);
    const kills = await killAll(world, path, options);
    const ended = await until(ENDS_WITHIN_MS, async () => endOf(await look(world, path)));
    return await judge(world, path, options, kills, ended ? systemClock.monotonic() - startedAt : null);
  } finally {
    await world.close();
  }
}

async function begin(world: World, count: number): Promise<string> {
  await moveIn(world, 1);
  expected(await world.api('PUT', '/v1/settings', { pacing: PACE, send_window: { enabled: false } }), 200);
  const [device] = world.devices;
  const draft = { session_id: device!.id, name: 'Chaos', message_type: 'text', body: 'Hello {var1}' };
  const { id } = expected(await world.api('POST', '/v1/blasts', draft), 201);
  for (let from = 0; from < count; from += LISTED_AT_ONCE) {
    const recipients = Array.from({ length: Math.min(LISTED_AT_ONCE, count - from) }, (_, nth) => ({ phone: `+${phoneOf(from + nth)}` }));
    expected(await world.api('POST', `/v1/blasts/${id}/recipients`, { recipients }), 200);
  }
  expected(await world.api('POST', `/v1/blasts/${id}/start`, {}), 200);
  return `/v1/blasts/${id}`;
}

const phoneOf = (nth: number): number => 6_281_400_000_000 + nth;

async function killAll(world: World, path: string, { kills, everyMs, seed, onKill }: BlastRunOptions): Promise<number> {
  const chance = seededChance(seed);
  for (let nth = 1; nth <= kills; nth += 1) {
    await pause(systemClock, Math.round(chance() * everyMs));
    const row = await look(world, path).catch(() => null);
    if (row && endOf(row)) return nth - 1;
    const victim = await victimOf(world, chance);
    onKill?.(nth, victim.id, row?.sent_count ?? -1);
    await victim.kill();
    await victim.start();
  }
  return kills;
}

/** The node that runs the campaign, the one that runs its device, or any. */
async function victimOf(world: World, chance: Chance) {
  const which = Math.floor(chance() * 3);
  const collection = ['blasts', 'devices'][which];
  const row = collection && (await world.db.collection(collection).findOne(which === 1 ? { _id: world.devices[0]!.id as never } : {}));
  const found = world.gateways.find(({ id }) => row && id === row['node']);
  return found ?? world.gateways[Math.floor(chance() * world.gateways.length)]!;
}

interface Shown {
  readonly status: string;
  readonly sent_count: number;
  readonly failed_count: number;
  readonly total_recipients: number;
}

async function look(world: World, path: string): Promise<Shown> {
  return expected(await world.api('GET', path), 200);
}

const endOf = (row: Shown): Shown | null => (row.status === 'running' ? null : row);

async function judge(
  world: World,
  path: string,
  options: BlastRunOptions,
  kills: number,
  endedAfterMs: number | null,
): Promise<BlastVerdict> {
  const row = await look(world, path);
  const reached = new Map<string, number>();
  for (const { what, to } of await wholeJournal(world)) if (what === 'accepted' && to) reached.set(to, (reached.get(to) ?? 0) + 1);
  const times = Array.from({ length: options.recipients }, (_, nth) => reached.get(`${phoneOf(nth)}@s.whatsapp.net`) ?? 0);
  const lost = times.filter((count) => count === 0).length;
  const doubled = times.filter((count) => count > 1).length;
  const miscounted = Math.abs(row.sent_count - (options.recipients - lost)) + Math.abs(row.total_recipients - options.recipients);
  return { recipients: options.recipients, kills, lost, doubled, miscounted, endedAfterMs };
}
