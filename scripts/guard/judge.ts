import { pause, systemClock } from '../../runtime/clock.ts';
import { asError } from '../../runtime/errors.ts';
import type { Ground } from './ground.ts';

/** One hostile input. */
export interface Case {
  /** What it attacks, and with which kind of input: a short run takes one case of each. */
  readonly kinds: readonly string[];
  readonly title: string;
  /** Bytes that are sent to the node. */
  readonly bytes: number;
  /** Resolves when the node has answered, or acknowledged. A rejection says nothing: the node may refuse in any way. */
  attack(ground: Ground): Promise<unknown>;
  /** Work that follows begins within so long. */
  readonly settleMs?: number;
  /** Whether it takes a second or more. */
  readonly isSlow?: boolean;
}

/** What a case cost: the least of its tries. */
export interface Figure {
  readonly title: string;
  /** CPU of the longest turn, in ms. */
  readonly cpuMs: number;
  /** Memory beyond the idle process, and how much of it this case may take, in bytes. */
  readonly memory: number;
  readonly mayTake: number;
  /** Why the process ended; null: it did not. */
  readonly ended: string | null;
}

export interface Verdict {
  readonly cases: number;
  /** Their process ended, or all three tries were above a limit. */
  readonly failed: readonly Figure[];
  /** Above half of the limit of CPU. */
  readonly listed: readonly Figure[];
}

export interface JudgeOptions {
  /** A group whose turns take longer is looked through. Default: what is listed; at most MAX_TURN_MS, or failures would be missed. */
  readonly suspectMs?: number;
  /** Receives the figure of each case that was run alone. */
  readonly onSuspect?: (figure: Figure) => void;
}

interface GroupOptions {
  readonly suspectMs: number;
  readonly collect: boolean;
}

export const MAX_TURN_MS = 50;
const LISTED_MS = 25;
const MB = 1_048_576;
const TRIES = 3;
/** Cases that are measured together at first: most cost nothing worth a measure of their own. */
const TOGETHER = 24;

/** Memory that work on so many bytes may take, in bytes. */
export const mayTake = (bytes: number): number => 64 * MB + 3 * bytes;

/**
 * Runs all cases in small groups, which also warms the node up; a case alone is warmed up by the first of its tries. A group that comes near a limit is run again in halves, down to single cases,
 * and these up to three times.
 */
export async function judge(
  ground: Ground,
  cases: Iterable<Case>,
  { suspectMs = LISTED_MS, onSuspect = () => {} }: JudgeOptions = {},
): Promise<Verdict> {
  let count = 0;
  const suspects: Figure[] = [];
  for (const group of inGroups(cases)) {
    count += group.length;
    if (group.length > 1 && (await isHarmless(ground, group, { suspectMs, collect: false }))) continue;
    for await (const figure of suspectsIn(ground, group, suspectMs)) {
      suspects.push(figure);
      onSuspect(figure);
    }
  }
  return verdictOf(count, suspects);
}

export const verdictOf = (cases: number, figures: readonly Figure[]): Verdict => ({
  cases,
  failed: figures.filter(isFailure),
  listed: figures.filter((figure) => !isFailure(figure) && figure.cpuMs > LISTED_MS),
});

async function* suspectsIn(ground: Ground, group: readonly Case[], suspectMs: number): AsyncGenerator<Figure> {
  const [only, ...more] = group;
  if (only && more.length === 0) yield measured(ground, only);
  else if (!(await isHarmless(ground, group, { suspectMs, collect: true }))) {
    const middle = group.length / 2;
    yield* suspectsIn(ground, group.slice(0, middle), suspectMs);
    yield* suspectsIn(ground, group.slice(middle), suspectMs);
  }
}

const isFailure = ({ ended, cpuMs, memory, mayTake }: Figure): boolean => ended !== null || cpuMs > MAX_TURN_MS || memory > mayTake;

/** The first case of each kind. */
export function oneOfEachKind(cases: Iterable<Case>): readonly Case[] {
  const seen = new Set<string>();
  const taken: Case[] = [];
  for (const one of cases) {
    if (one.kinds.every((kind) => seen.has(kind))) continue;
    for (const kind of one.kinds) seen.add(kind);
    taken.push(one);
  }
  return taken;
}

/** Whether nothing in the group comes near a limit: then none of its cases does alone. */
async function isHarmless(ground: Ground, group: readonly Case[], { suspectMs, collect }: GroupOptions): Promise<boolean> {
  const figure = await costOf(
    ground,
    { title: '', bytes: 0, attack: () => inTurn(ground, group), settleMs: longestSettle(group) },
    collect,
  );
  return figure.ended === null && figure.cpuMs <= suspectMs && figure.memory <= mayTake(Math.min(...group.map(({ bytes }) => bytes)));
}

async function inTurn(ground: Ground, group: readonly Case[]): Promise<void> {
  for (const one of group) await one.attack(ground).catch(() => {});
}

const longestSettle = (group: readonly Case[]): number => Math.max(0, ...group.map(({ settleMs = 0 }) => settleMs));

async function measured(ground: Ground, one: Case): Promise<Figure> {
  let least = await costOf(ground, one, true);
  for (let tries = 1; tries < TRIES && least.ended === null && isNearLimit(least); tries += 1) {
    // What reaches nobody costs nothing: a node that stood still has lost the line of its device.
    await ground.online().catch(() => {});
    const again = await costOf(ground, one, true);
    least = { ...again, cpuMs: Math.min(least.cpuMs, again.cpuMs), memory: Math.min(least.memory, again.memory) };
  }
  return least;
}

const isNearLimit = (figure: Figure): boolean => figure.cpuMs > LISTED_MS || isFailure(figure);

/** A process that ended is started again before the next case. */
async function costOf(ground: Ground, one: Omit<Case, 'kinds'>, collect: boolean): Promise<Figure> {
  const { subject } = ground;
  const figure = { title: one.title, cpuMs: 0, memory: 0, mayTake: mayTake(one.bytes), ended: null };
  if (subject.ended !== null) await ground.revive();
  try {
    const idle = await subject.begin(collect);
    await one.attack(ground).catch(() => {});
    if (one.settleMs !== undefined) await pause(systemClock, one.settleMs);
    const cpuMs = await subject.worstTurn();
    return { ...figure, cpuMs, memory: subject.peakMemory - idle };
  } catch (cause) {
    return { ...figure, ended: subject.ended ?? asError(cause).message };
  }
}

/** Slow cases have groups of their own: what is near a limit beside them need not wait for them again and again. */
function* inGroups(cases: Iterable<Case>): Generator<readonly Case[]> {
  const groups: { quick: Case[]; slow: Case[] } = { quick: [], slow: [] };
  for (const one of cases) {
    const speed = one.isSlow ? 'slow' : 'quick';
    groups[speed].push(one);
    if (groups[speed].length < TOGETHER) continue;
    yield groups[speed];
    groups[speed] = [];
  }
  for (const rest of [groups.quick, groups.slow]) if (rest.length > 0) yield rest;
}
