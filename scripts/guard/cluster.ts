import { pause, systemClock } from '../../runtime/clock.ts';
import { at } from '../../runtime/invariant.ts';
import { moveIn } from '../chaos/customer.ts';
import { World } from '../chaos/world.ts';
import { type Call, expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';

/**
 * Three nodes, two tenants: customers of one, which has AI replies and a rule, write the text that once stopped a node for seventeen seconds, and
 * the other one sends. No lease may change its owner, and no send may take more than three times the 99th percentile of sends alone. Both are
 * measured in one run, in rounds that alternate.
 */
export interface ClusterRun {
  readonly mongodbUrl: string;
  /** Sends of each half of a round. */
  readonly sends: number;
  readonly rounds: number;
}

export interface ClusterVerdict {
  /** Leases whose owner changed beside the attack: `lease: former owner, owner`. */
  readonly moved: readonly string[];
  /** Leases that nodes lost or doubted, as they count them. */
  readonly lost: number;
  /** Hostile texts that were written. */
  readonly texts: number;
  /** What sends took, in ms. */
  readonly alone: Latency;
  readonly attacked: Latency;
}

interface Latency {
  readonly p99: number;
  readonly worst: number;
}

const VICTIM_OWNER = '6281100008888';
const PATIENCE_MS = 10_000;
/** Where sends stand still, a half of a round ends before all are made. */
const HALF_ROUND_MS = 60_000;
const SETTLED_WITHIN_MS = 60_000;
const EVERY_MS = 1_000;
const HOSTILE = `a${'\u0315'.repeat(32_500)}${'\u0300'.repeat(32_500)}`;

/** The most that a send may take beside the attack, as a multiple of the 99th percentile of sends alone. */
const MAX_RATIO = 3;

export const holds = ({ moved, texts, alone, attacked }: ClusterVerdict): boolean =>
  moved.length === 0 && texts > 0 && attacked.worst <= MAX_RATIO * alone.p99;

export async function attackCluster({ mongodbUrl, sends, rounds }: ClusterRun): Promise<ClusterVerdict> {
  const world = await World.open({ guard: 'on', mongodbUrl, ttlMs: 10_000, patienceMs: PATIENCE_MS });
  try {
    const nodes = world.gateways.length;
    await moveIn(world, nodes);
    const other = callsOf(world);
    const otherDevices = world.devices.slice();
    await moveIn(world, 2 * nodes, VICTIM_OWNER);
    await switchOn(world, nodes);
    await leasesSettled(world);
    const before = await lostLeases(world);
    const [alone, attacked, moved]: [number[], number[], string[]] = [[], [], []];
    const attack = { texts: 0, isOn: true };
    const send = (nth: number) => sent(at(other, nth % nodes), at(otherDevices, nth % nodes).id);
    // Everything is compiled, and everybody who is written to is known.
    await timed(sends, send);
    for (let round = 0; round < rounds; round += 1) {
      alone.push(...(await timed(sends, send)));
      const owners = await ownersIn(world);
      attack.isOn = true;
      const writing = write(world, nodes, attack);
      attacked.push(...(await timed(sends, send)));
      attack.isOn = false;
      await writing;
      moved.push(...movedIn(owners, await ownersIn(world)));
    }
    const lost = (await lostLeases(world)) - before;
    return { moved, lost, texts: attack.texts, alone: latencyOf(alone), attacked: latencyOf(attacked) };
  } finally {
    await world.close();
  }
}

/** The tenant that signed up last, calling each node. */
const callsOf = (world: World): readonly Call[] => {
  const headers = world.headers();
  return world.gateways.map((gateway) => gateway.callAs(headers));
};

/** AI replies with one answer, and one rule for each of the tenant's devices. */
async function switchOn(world: World, from: number): Promise<void> {
  const answer = { question: 'Do you ship abroad?', answer: 'Yes, we ship to Singapore and Malaysia.' };
  expected(await world.api('POST', '/v1/ai-reply/answers', answer), 201);
  expected(await world.api('PUT', '/v1/ai-reply', { enabled: true }), 200);
  const rule = { name: 'price', trigger_type: 'contains', trigger_text: 'price', reply_body: 'It costs 5.' };
  for (const { id } of world.devices.slice(from)) expected(await world.api('POST', `/v1/sessions/${id}/auto-reply`, rule), 201);
}

/** Customers write to all devices of the tenant, until told to stop. */
async function write(world: World, from: number, attack: { texts: number; readonly isOn: boolean }): Promise<void> {
  while (attack.isOn) {
    const { phone } = at(world.devices, from + (attack.texts % (world.devices.length - from)));
    const customer = `6287${String(attack.texts).padStart(8, '0')}`;
    expected(await world.sandbox('POST', `/sandbox/phones/${customer}/messages`, { to: phone, type: 'text', body: HOSTILE }), 201);
    attack.texts += 1;
    await pause(systemClock, EVERY_MS);
  }
}

/** What a send took, in ms; one that was not accepted took as long as a caller waits. */
async function sent(call: Call, device: string): Promise<number> {
  const since = systemClock.monotonic();
  const message = { chat_id: '6281211110001', type: 'text', body: 'Hi' };
  const answer = await call('POST', `/v1/sessions/${device}/messages`, message).catch(() => null);
  return answer?.status === 202 ? systemClock.monotonic() - since : PATIENCE_MS;
}

async function timed(count: number, measure: (nth: number) => Promise<number>): Promise<readonly number[]> {
  const figures: number[] = [];
  const endsAt = systemClock.monotonic() + HALF_ROUND_MS;
  for (let nth = 0; nth < count && systemClock.monotonic() < endsAt; nth += 1) figures.push(await measure(nth));
  return figures;
}

function latencyOf(figures: readonly number[]): Latency {
  const sorted = figures.toSorted((a, b) => a - b);
  return { p99: at(sorted, Math.floor(sorted.length * 0.99)), worst: at(sorted, sorted.length - 1) };
}

const SETTLED_MS = 3_000;

/** Resolves once no lease has changed its owner for three seconds: devices spread over the nodes first. */
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

/** Owners by lease. */
async function ownersIn(world: World): Promise<Owners> {
  return world.redis.run(async (redis) => {
    const leases = (await redis.keys('gw:lease:*')).toSorted();
    const holders = leases.length === 0 ? [] : await redis.mget(leases);
    return new Map(leases.map((lease, nth) => [lease, String(holders[nth])]));
  });
}

/** Leases of `before` that have another owner, or none. */
const movedIn = (before: Owners, after: Owners): readonly string[] =>
  [...before].filter(([lease, owner]) => after.get(lease) !== owner).map(([lease, owner]) => `${lease}: ${owner}, ${after.get(lease)}`);

/** As the nodes count them, all together. A node that ended counts from 0 again, and its sends failed. */
async function lostLeases(world: World): Promise<number> {
  const pages = await Promise.all(world.gateways.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  return pages
    .flatMap((page) => [...page.matchAll(/^gateway_leases_lost_total\S* (\d+)$/gm)])
    .reduce((sum, [, count]) => sum + Number(count), 0);
}
