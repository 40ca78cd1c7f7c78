import { pause, systemClock } from '../../runtime/clock.ts';
import { at } from '../../runtime/invariant.ts';
import { moveIn } from '../chaos/customer.ts';
import { World } from '../chaos/world.ts';
import { median } from '../endurance/flatness.ts';
import { type Call, expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';

/** A hostile text sent to one tenant must neither move leases nor delay another tenant's sends. */
export interface ClusterRun {
  readonly mongodbUrl: string;
  readonly sends: number;
  readonly rounds: number;
  /** Devices move to spread their traffic, which a node counts for a minute and then reports. */
  readonly warmUpMs: number;
}

export interface ClusterVerdict {
  /** Leases whose owner changed during the attack, as `lease: previous owner, new owner`. */
  readonly moved: readonly string[];
  /** Number of leases that nodes lost or doubted, according to their own metrics. */
  readonly lost: number;
  readonly texts: number;
  readonly alone: Latency;
  readonly attacked: Latency;
  /** The slowest send of each attacked round, in ms. */
  readonly worst: readonly number[];
}

interface Latency {
  readonly p99: number;
  readonly worst: number;
}

const VICTIM_OWNER = '6281100008888';
const PATIENCE_MS = 10_000;
const HALF_ROUND_MS = 60_000;
const SETTLED_WITHIN_MS = 60_000;
const EVERY_MS = 1_000;
const HOSTILE = `a${'\u0315'.repeat(32_500)}${'\u0300'.repeat(32_500)}`;

const MAX_RATIO = 3;

/** One slow round of several is the machine's noise: it occurs without an attack too. */
export const holds = ({ moved, lost, texts, alone, worst }: ClusterVerdict): boolean =>
  moved.length + lost === 0 && texts > 0 && median(worst) <= MAX_RATIO * alone.p99;

export async function attackCluster({ mongodbUrl, sends, rounds, warmUpMs }: ClusterRun): Promise<ClusterVerdict> {
  const world = await World.open({ guard: 'on', mongodbUrl, ttlMs: 10_000, patienceMs: PATIENCE_MS });
  try {
    const nodes = world.gateways.length;
    await moveIn(world, nodes);
    const other = callsOf(world);
    const otherDevices = world.devices.slice();
    await moveIn(world, 2 * nodes, VICTIM_OWNER);
    await switchOn(world, nodes);
    const send = (nth: number) => sent(at(other, nth % nodes), at(otherDevices, nth % nodes).id);
    const attack = { texts: 0, isOn: true };
    const warming = write(world, nodes, attack);
    await timed(Number.POSITIVE_INFINITY, send, warmUpMs);
    attack.isOn = false;
    await warming;
    await leasesSettled(world);
    const before = await lostLeases(world);
    const [alone, attacked, worst, moved]: [number[], number[], number[], string[]] = [[], [], [], []];
    for (let nth = 0; nth < rounds; nth += 1) {
      alone.push(...(await timed(sends, send)));
      const owners = await ownersIn(world);
      attack.isOn = true;
      const writing = write(world, nodes, attack);
      const round = await timed(sends, send);
      attacked.push(...round);
      worst.push(Math.max(...round));
      attack.isOn = false;
      await writing;
      moved.push(...movedIn(owners, await ownersIn(world)));
    }
    const lost = (await lostLeases(world)) - before;
    return { moved, lost, texts: attack.texts, alone: latencyOf(alone), attacked: latencyOf(attacked), worst };
  } finally {
    await world.close();
  }
}

const callsOf = (world: World): readonly Call[] => {
  const headers = world.headers();
  return world.gateways.map((gateway) => gateway.callAs(headers));
};

async function switchOn(world: World, from: number): Promise<void> {
  const answer = { question: 'Do you ship abroad?', answer: 'Yes, we ship to Singapore and Malaysia.' };
  expected(await world.api('POST', '/v1/ai-reply/answers', answer), 201);
  expected(await world.api('PUT', '/v1/ai-reply', { enabled: true }), 200);
  const rule = { name: 'price', trigger_type: 'contains', trigger_text: 'price', reply_body: 'It costs 5.' };
  for (const { id } of world.devices.slice(from)) expected(await world.api('POST', `/v1/sessions/${id}/auto-reply`, rule), 201);
}

async function write(world: World, from: number, attack: { texts: number; readonly isOn: boolean }): Promise<void> {
  while (attack.isOn) {
    const { phone } = at(world.devices, from + (attack.texts % (world.devices.length - from)));
    const customer = `6287${String(attack.texts).padStart(8, '0')}`;
    expected(await world.sandbox('POST', `/sandbox/phones/${customer}/messages`, { to: phone, type: 'text', body: HOSTILE }), 201);
    attack.texts += 1;
    await pause(systemClock, EVERY_MS);
  }
}

/** A send that was not accepted counts as PATIENCE_MS. */
async function sent(call: Call, device: string): Promise<number> {
  const since = systemClock.monotonic();
  const message = { chat_id: '6281211110001', type: 'text', body: 'Hi' };
  const answer = await call('POST', `/v1/sessions/${device}/messages`, message).catch(() => null);
  return answer?.status === 202 ? systemClock.monotonic() - since : PATIENCE_MS;
}

async function timed(count: number, measure: (nth: number) => Promise<number>, withinMs = HALF_ROUND_MS): Promise<readonly number[]> {
  const figures: number[] = [];
  const endsAt = systemClock.monotonic() + withinMs;
  for (let nth = 0; nth < count && systemClock.monotonic() < endsAt; nth += 1) figures.push(await measure(nth));
  return figures;
}

function latencyOf(figures: readonly number[]): Latency {
  const sorted = figures.toSorted((a, b) => a - b);
  return { p99: at(sorted, Math.floor(sorted.length * 0.99)), worst: at(sorted, sorted.length - 1) };
}

const SETTLED_MS = 3_000;

/**
 * Waits until leases keep their owners, because devices are at first being spread over the nodes.
 */
async function leasesSettled(world: World): Promise<void> {
  let last = new Map<string, string>();
  const found = await until(SETTLED_WITHIN_MS, async () => {
    const before = last;
    await pause(systemClock, SETTLED_MS);
    last = await ownersIn(world);
    return before.size === last.size && movedIn(before, last).length === 0;
  });
  if (!found) throw new Error('the leases did not settle');
}

type Owners = Map<string, string>;

async function ownersIn(world: World): Promise<Owners> {
  return world.redis.run(async (redis) => {
    const leases = (await redis.keys('gw:lease:*')).toSorted();
    const holders = leases.length === 0 ? [] : await redis.mget(leases);
    return new Map(leases.map((lease, nth) => [lease, String(holders[nth])]));
  });
}

const movedIn = (before: Owners, after: Owners): readonly string[] =>
  [...before].filter(([lease, owner]) => after.get(lease) !== owner).map(([lease, owner]) => `${lease}: ${owner}, ${after.get(lease)}`);

/** A restarted node counts from 0 again, but a restart shows up as failed sends. */
async function lostLeases(world: World): Promise<number> {
  const pages = await Promise.all(world.gateways.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  return pages
    .flatMap((page) => [...page.matchAll(/^gateway_leases_lost_total\S* (\d+)$/gm)])
    .reduce((sum, [, count]) => sum + Number(count), 0);
}
