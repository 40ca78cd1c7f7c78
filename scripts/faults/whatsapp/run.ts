import { systemClock } from '../../../runtime/clock.ts';
import { askAgain, channelsHere, shownHere, toldBy } from './features.ts';
import { askAgainByKey, groupsHere, keysUnlike } from './groups.ts';
import type { Guard } from './guards.ts';
import { dieLinking } from './linking.ts';
import { factsOf, type Point, stepOfPoint, trafficOf } from './points.ts';
import { bodies, burst, confirmedBy, nothingSaid, optedOut, owed, SAID, type Said, settled, shownBy, type Traffic } from './traffic.ts';
import { type Verdict, verdictOf } from './verdict.ts';
import { KillWorld } from './world.ts';

export interface KillPlan {
  readonly points: readonly Point[];
  readonly kills: number;
  readonly random: () => number;
  readonly mongodbUrl: string | null;
  readonly guard?: Guard;
  /** Whether to resend unconfirmed channel and group requests, which takes a minute. Default: true. */
  readonly asksAgain?: boolean;
  readonly withinMs?: number;
  readonly onKill?: (point: Point) => void;
}

export interface Line extends Verdict {
  readonly point: Point;
}

const DIES_WITHIN_MS = 120_000;
const SETTLES_WITHIN_MS = 60_000;
const MISSED_AFTER_MS = 1_500;

export async function killRun(plan: KillPlan): Promise<readonly Line[]> {
  const { points, kills, random, mongodbUrl, guard = 'on', asksAgain = true, withinMs, onKill } = plan;
  const world = await KillWorld.open({ mongodbUrl, guard });
  const endsAt = performance.now() + (withinMs ?? Number.POSITIVE_INFINITY);
  const notes: Note[] = [];
  try {
    for (const point of points) {
      const note = noteOf(point);
      while (note.kills < kills && performance.now() < endsAt) {
        await round(world, note, `${stepOfPoint(point)}:${1 + Math.floor(random() * factsOf(point).most)}`);
        onKill?.(point);
      }
      if (note.kills > 0) notes.push(note);
    }
    return await judge(world, notes, asksAgain);
  } finally {
    await world.close();
  }
}

interface Note extends Said {
  readonly point: Point;
  kills: number;
  violations: readonly string[];
  askedAgain: number;
  linked: number;
  linksLost: number;
  keysUnlike: number;
}

const noteOf = (point: Point): Note => ({
  ...nothingSaid(),
  point,
  kills: 0,
  violations: [],
  askedAgain: 0,
  linked: 0,
  linksLost: 0,
  keysUnlike: 0,
});

export async function passesOf(traffic: Traffic, bursts: number, mongodbUrl: string | null): Promise<ReadonlyMap<string, number>> {
  const world = await KillWorld.open({ mongodbUrl });
  try {
    const said = nothingSaid();
    const since = Date.now();
    world.gateway.arm('count');
    for (let nth = 0; nth < bursts; nth += 1) await burst(world, traffic, said);
    await settled(world, since, said, SETTLES_WITHIN_MS);
    return await world.passed();
  } finally {
    await world.close();
  }
}

async function round(world: KillWorld, note: Note, order: string): Promise<void> {
  const { ledger, journal } = world.peer;
  const [violations, unreadable] = [ledger.violations.length, journal.events('unreadable').length];
  const traffic = trafficOf(note.point);
  if (traffic === 'linking') await linkingRound(world, note, order);
  else await talkingRound(world, note, traffic, order);
  note.kills += 1;
  note.violations = [...note.violations, ...ledger.violations.slice(violations)];
  note.askedAgain += journal.events('unreadable').length - unreadable;
}

async function linkingRound(world: KillWorld, note: Note, order: string): Promise<void> {
  const linkEnd = await dieLinking(world, order);
  await died(world, order);
  await world.start();
  await world.online();
  const { wasLinked, isLost, works } = await linkEnd();
  note.linked += wasLinked ? 1 : 0;
  note.linksLost += isLost || !works ? 1 : 0;
}

async function talkingRound(world: KillWorld, note: Note, traffic: Traffic, order: string): Promise<void> {
  const { atStart } = factsOf(note.point);
  const since = Date.now();
  const said = nothingSaid();
  await die(world, traffic, said, atStart ? UNANSWERED : order);
  if (atStart) {
    await world.start(order);
    await died(world, order);
  }
  await world.start();
  await settled(world, since, said, world.guard === 'on' ? SETTLES_WITHIN_MS : MISSED_AFTER_MS);
  for (const what of SAID) note[what].push(...said[what]);
  note.written.push(...owed(world.peer, said));
}

/** This failpoint leaves messages that look sent, but for which no receipt will arrive. */
const UNANSWERED = 'after-claim:1';

async function die(world: KillWorld, traffic: Traffic, said: Said, order: string): Promise<void> {
  world.gateway.arm(order);
  const endsAt = performance.now() + DIES_WITHIN_MS;
  while (world.isAlive) {
    if (performance.now() > endsAt) throw new Error(`the gateway never passed ${order}`);
    await burst(world, traffic, said);
  }
  await died(world, order);
}

async function died({ gateway }: KillWorld, order: string): Promise<void> {
  const cancel = systemClock.after(DIES_WITHIN_MS, () => void gateway.kill());
  const startedAt = performance.now();
  if ((await gateway.ended) !== 'SIGKILL') throw new Error(`the gateway ended by itself (${order})`);
  cancel();
  if (performance.now() - startedAt >= DIES_WITHIN_MS) throw new Error(`the gateway never passed ${order}`);
}

async function judge(world: KillWorld, notes: readonly Note[], asksAgain: boolean): Promise<readonly Line[]> {
  const { peer } = world;
  await world.online();
  const since = Date.now();
  for (const note of notes.filter((one) => one.tried.length > 0)) {
    if (asksAgain) await askAgain(world, note);
    if (asksAgain) await askAgainByKey(world, note);
    note.keysUnlike = await keysUnlike(world, note);
  }
  const answered = notes.flatMap((note) => note.answered);
  if (world.guard === 'on') await settled(world, since, { ...nothingSaid(), answered }, SETTLES_WITHIN_MS);
  const onPhones = shownBy(peer);
  const shown = await shownHere(world);
  const left = [
    ...(await logged(world, ['sent', 'delivered', 'read'])),
    ...shown,
    ...(await channelsHere(world)),
    ...(await groupsHere(world)),
  ];
  const inLog = [...(await bodies(world, 'direction=inbound')), ...(await toldBy(world)), ...shown];
  const out = await optedOut(world);
  return notes.map((note) => ({
    point: note.point,
    ...verdictOf({ ...note, onPhones, left, inLog, optedOut: out, confirmed: confirmedBy(peer, note.stopped) }),
  }));
}

async function logged(world: KillWorld, statuses: readonly string[]): Promise<readonly string[]> {
  const all = await Promise.all(statuses.map((status) => bodies(world, `direction=outbound&status=${status}`)));
  return all.flat();
}
