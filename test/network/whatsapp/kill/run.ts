import { expected } from '../../../../scripts/faults/caller.ts';
import { until } from '../../../../scripts/faults/processes.ts';
import type { Peer } from '../../peer/peer.ts';
import type { Point } from './failpoint.ts';
import { KillWorld, SHOP } from './world.ts';

/** What became of all that was under way while a gateway was killed. */
export interface Verdict {
  readonly kills: number;
  readonly answered: number;
  /** Answered 202, and on no phone. */
  readonly lost: number;
  /** On a phone under two ids. */
  readonly doubled: number;
  readonly written: number;
  /** Written by a phone and not in the gateway's log. */
  readonly inboundLost: number;
  readonly inboundDoubled: number;
  /** What the network must never see: a key and IV, or a pre-key number, used twice. */
  readonly violations: readonly string[];
  /** Ciphertexts that a phone could not read, and asked for once more. */
  readonly askedAgain: number;
}

export interface KillPlan {
  readonly points: readonly Point[];
  /** Kills at each point. */
  readonly kills: number;
  /** In [0, 1). */
  readonly chance: () => number;
  readonly mongodbUrl: string | null;
  readonly onKill?: (point: Point) => void;
}

export const CONTACTS = ['6281100000011', '6281100000012', '6281100000013'];
const MOST_PASSES = 40;
const SENT_A_BURST = 6;
const WRITTEN_A_BURST = 3;
const DIES_WITHIN_MS = 30_000;
const SETTLES_WITHIN_MS = 60_000;

/** Kills a gateway again and again at each point while messages pass both ways, and judges by what the phones show and the log says. */
export async function killRun(plan: KillPlan): Promise<Verdict> {
  const world = await KillWorld.open(plan.mongodbUrl);
  const said: Said = { answered: [], written: [] };
  let kills = 0;
  try {
    for (const point of plan.points) {
      for (let kill = 0; kill < plan.kills; kill += 1) {
        await round(world, said, `${point}:${1 + Math.floor(plan.chance() * MOST_PASSES)}`);
        kills += 1;
        plan.onKill?.(point);
      }
    }
    return await judge(world, said, kills);
  } finally {
    await world.close();
  }
}

interface Said {
  readonly answered: string[];
  readonly written: string[];
}

async function round(world: KillWorld, said: Said, order: string): Promise<void> {
  let isAlive = true;
  const death = world.gateway.ended.then((signal) => {
    isAlive = false;
    if (signal !== 'SIGKILL') throw new Error(`the gateway ended by itself (${order})`);
  });
  await burst(world, said);
  world.gateway.arm(order);
  const endsAt = performance.now() + DIES_WITHIN_MS;
  while (isAlive) {
    if (performance.now() > endsAt) throw new Error(`the gateway never passed ${order}`);
    await burst(world, said);
  }
  await death;
  await world.start();
  await world.online();
  await settled(world, said);
}

let serial = 0;

async function burst(world: KillWorld, said: Said): Promise<void> {
  const sending = Array.from({ length: SENT_A_BURST }, () => send(world, said));
  const writing = Array.from({ length: WRITTEN_A_BURST }, () => write(world, said));
  await Promise.all([...sending, ...writing]);
}

async function send(world: KillWorld, said: Said): Promise<void> {
  serial += 1;
  const body = `out ${serial}`;
  const to = CONTACTS[serial % CONTACTS.length]!;
  const request = { chat_id: to, type: 'text', body, connect_only: false };
  const answer = await world.api('POST', `${world.path}/messages`, request).catch(() => null);
  if (answer?.status === 202) said.answered.push(body);
}

async function write({ peer }: KillWorld, said: Said): Promise<void> {
  serial += 1;
  const body = `in ${serial}`;
  await peer.contact(CONTACTS[serial % CONTACTS.length]!).writes(SHOP, body);
  said.written.push(body);
}

/** The texts that phones show, each as often as there are messages of it. */
const shown = ({ peer }: KillWorld): readonly string[] => shownBy(peer);

export function shownBy(peer: Peer): readonly string[] {
  return CONTACTS.flatMap((digits) => peer.contact(digits).shows())
    .filter(({ from }) => from === SHOP)
    .map(({ text }) => text);
}

async function logged(world: KillWorld): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (let more: string | null = ''; more !== null; ) {
    const page = expected(await world.api('GET', `${world.path}/messages?direction=inbound&limit=200${more}`), 200);
    bodies.push(...page.messages.map(({ body }: { body: string }) => body));
    more = page.next_before === null ? null : `&before=${page.next_before}&before_id=${page.next_before_id}`;
  }
  return bodies;
}

/** Gives up in time: what is missing then is the verdict's to say. */
async function settled(world: KillWorld, said: Said): Promise<void> {
  await until(SETTLES_WITHIN_MS, async () => {
    const [onPhones, inLog] = [new Set(shown(world)), new Set(await logged(world))];
    return said.answered.every((body) => onPhones.has(body)) && said.written.every((body) => inLog.has(body));
  });
}

async function judge(world: KillWorld, { answered, written }: Said, kills: number): Promise<Verdict> {
  const onPhones = tally(shown(world));
  const inLog = tally(await logged(world));
  return {
    kills,
    answered: answered.length,
    lost: answered.filter((body) => !onPhones.has(body)).length,
    doubled: [...onPhones.values()].filter((count) => count > 1).length,
    written: written.length,
    inboundLost: written.filter((body) => !inLog.has(body)).length,
    inboundDoubled: [...inLog.values()].filter((count) => count > 1).length,
    violations: world.peer.ledger.violations,
    askedAgain: world.peer.journal.events('unreadable').length,
  };
}

/** How often each is there. */
export function tally(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
