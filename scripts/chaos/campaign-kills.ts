import { pause, systemClock } from '../../runtime/clock.ts';
import { at } from '../../runtime/invariant.ts';
import { oneOf, type Random } from '../../runtime/random.ts';
import { expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';
import { type Campaign, hasEnded, look } from './campaign-over-nodes.ts';
import { journalSince } from './evidence.ts';
import type { Gateway } from './gateway.ts';
import type { World } from './world.ts';

/** `in-mid-air`: the device's node dies while the network withholds the ack of a message. */
export const MOMENTS = ['any', 'in-mid-air', 'paused-in-mid-air'] as const;
export type Moment = (typeof MOMENTS)[number];

export interface KillPlan {
  readonly kills: number;
  readonly everyMs: number;
  readonly moments: readonly Moment[];
  readonly random: Random;
  readonly onKill?: (nth: number, node: string, moment: Moment, sent: number) => void;
}

export interface Killed {
  readonly kills: number;
  readonly inMidAir: number;
}

const HELD_MS = 20_000;
const OVER_MS = 1;
/** An ack that has not arrived after this time counts as withheld by the network. */
const UNHEARD_MS = 1_000;
const TAKEN_WITHIN_MS = 15_000;
const OBEYED_WITHIN_MS = 120_000;

export async function killAll(world: World, campaign: Campaign, plan: KillPlan): Promise<Killed> {
  const reached = new Reached(world);
  let inMidAir = 0;
  for (let nth = 1; nth <= plan.kills; nth += 1) {
    await pause(systemClock, Math.round(plan.random() * plan.everyMs));
    const row = await look(world, campaign).catch(() => null);
    if (row && hasEnded(row)) return { kills: nth - 1, inMidAir };
    const moment = oneOf(plan.moments, plan.random);
    const isHit = moment !== 'any' && (await isInMidAir(world, campaign, reached));
    if (isHit && moment === 'paused-in-mid-air') await pauseAndResume(world, campaign);
    const victim = moment === 'any' ? await anyone(world, campaign, plan.random) : await ownerOf(world, 'devices', campaign.device);
    plan.onKill?.(nth, victim.id, moment, row?.sent_count ?? -1);
    await victim.kill();
    if (isHit) inMidAir += 1;
    if (moment !== 'any') await keepAcks(world, campaign, OVER_MS);
    await victim.start();
  }
  return { kills: plan.kills, inMidAir };
}

async function isInMidAir(world: World, campaign: Campaign, reached: Reached): Promise<boolean> {
  await keepAcks(world, campaign, HELD_MS);
  const waits = { session_id: campaign.device, status: 'sending' };
  const found = await until(TAKEN_WITHIN_MS, async () => {
    const row = await world.db.collection('messages').findOne({ ...waits, claimed_at: { $lt: systemClock.now() - UNHEARD_MS } });
    return row !== null && (await reached.has(row['chat_id']));
  });
  return found === true;
}

async function keepAcks({ sandbox }: World, { phone }: Campaign, forMs: number): Promise<void> {
  expected(await sandbox('POST', `/sandbox/devices/${phone}/fault`, { kind: 'slow', for_ms: forMs }), 200);
}

async function pauseAndResume(world: World, { path }: Campaign): Promise<void> {
  for (const order of ['pause', 'resume']) {
    // 409 means that an earlier attempt succeeded without a response, or the campaign has ended.
    const commandApplied = async () => [200, 409].includes((await world.api('POST', `${path}/${order}`).catch(() => null))?.status ?? 0);
    if (!(await until(OBEYED_WITHIN_MS, commandApplied))) throw new Error(`the campaign did not ${order}`);
  }
}

async function anyone(world: World, { device }: Campaign, random: Random): Promise<Gateway> {
  const which = Math.floor(random() * 3);
  if (which < 2) return ownerOf(world, which === 0 ? 'campaigns' : 'devices', which === 0 ? null : device);
  return oneOf(world.gateways, random);
}

async function ownerOf(world: World, collection: string, id: string | null): Promise<Gateway> {
  const rows = world.db.collection<{ _id: string; node?: string }>(collection);
  const row = await rows.findOne(id === null ? {} : { _id: id });
  return world.gateways.find(({ id: node }) => row !== null && node === row.node) ?? at(world.gateways, 0);
}

class Reached {
  readonly #world: World;
  readonly #known = new Set<string>();
  #seq = 0;

  constructor(world: World) {
    this.#world = world;
  }

  async has(address: string): Promise<boolean> {
    const entries = await journalSince(this.#world, this.#seq);
    this.#seq = entries.at(-1)?.seq ?? this.#seq;
    for (const { what, to } of entries) if (what === 'accepted' && to) this.#known.add(to);
    return this.#known.has(address);
  }
}
