import { pause, systemClock } from '../../runtime/clock.ts';
import { at } from '../../runtime/invariant.ts';
import { moveIn } from '../chaos/customer.ts';
import { World } from '../chaos/world.ts';
import { type Call, expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';

/**
 * Three nodes, two tenants: customers of one, which has AI replies and a rule, write the text that once stopped a node for seventeen seconds, and
 * the other one sends. No lease may change its owner, and sends may not take three times what they take alone. Both are measured in one run,
 * in rounds that alternate.
 */
export interface ClusterRun {
  readonly mongodbUrl: string;
  /** Sends of each half of a round. */
  readonly sends: number;
  readonly rounds: number;
}

export interface ClusterVerdict {
  /** Leases that nodes lost or doubted. One that the rebalancer hands over is not lost. */
  readonly lost: number;
  /** Hostile texts that were written. */
  readonly texts: number;
  /** Medians over the rounds of the 99th percentile of a send, in ms. */
  readonly aloneMs: number;
  readonly attackedMs: number;
}

const VICTIM_OWNER = '6281100008888';
const PATIENCE_MS = 10_000;
/** Where sends stand still, a half of a round ends before all are made. */
const HALF_ROUND_MS = 60_000;
const SETTLED_WITHIN_MS = 60_000;
const EVERY_MS = 1_000;
const HOSTILE = `a${'\u0315'.repeat(32_500)}${'\u0300'.repeat(32_500)}`;

/** The most that a send may take beside the attack, as a multiple of what it takes alone. */
const MAX_RATIO = 3;

export const holds = ({ lost, texts, aloneMs, attackedMs }: ClusterVerdict): boolean =>
  lost === 0 && texts > 0 && attackedMs <= MAX_RATIO * aloneMs;

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
    const alone: number[] = [];
    const attacked: number[] = [];
    const attack = { texts: 0, isOn: true };
    const send = (nth: number) => sent(at(other, nth % nodes), at(otherDevices, nth % nodes).id);
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await p99(sends, send));
      attack.isOn = true;
      const writing = write(world, nodes, attack);
      attacked.push(await p99(sends, send));
      attack.isOn = false;
      await writing;
    }
    return { lost: (await lostLeases(world)) - before, texts: attack.texts, aloneMs: median(alone), attackedMs: median(attacked) };
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

async function p99(count: number, measure: (nth: number) => Promise<number>): Promise<number> {
  const figures: number[] = [];
  const endsAt = systemClock.monotonic() + HALF_ROUND_MS;
  for (let nth = 0; nth < count && systemClock.monotonic() < endsAt; nth += 1) figures.push(await measure(nth));
  return at(
    figures.toSorted((a, b) => a - b),
    Math.floor(figures.length * 0.99),
  );
}

const median = (figures: readonly number[]): number =>
  at(
    figures.toSorted((a, b) => a - b),
    Math.floor(figures.length / 2),
  );

const SETTLED_MS = 3_000;

/** Resolves once no lease has changed its owner for three seconds: devices spread over the nodes first. */
async function leasesSettled(world: World): Promise<void> {
  let last = '';
  const found = await until(SETTLED_WITHIN_MS, async () => {
    await pause(systemClock, SETTLED_MS);
    const before = last;
    last = await ownersIn(world);
    return last === before;
  });
  if (!found) throw new Error('the leases did not settle');
}

async function ownersIn(world: World): Promise<string> {
  return world.redis.run(async (redis) => {
    const leases = (await redis.keys('gw:lease:*')).toSorted();
    const holders = leases.length === 0 ? [] : await redis.mget(leases);
    return leases.map((lease, nth) => `${lease} ${holders[nth]}`).join('\n');
  });
}

/** As the nodes count them, all together. A node that ended counts from 0 again, and its sends failed. */
async function lostLeases(world: World): Promise<number> {
  const pages = await Promise.all(world.gateways.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  return pages
    .flatMap((page) => [...page.matchAll(/^gateway_leases_lost_total\S* (\d+)$/gm)])
    .reduce((sum, [, count]) => sum + Number(count), 0);
}
