import { pause, systemClock } from '../../runtime/clock.ts';
import { asError } from '../../runtime/errors.ts';
import type { Ground } from './ground.ts';

export interface Case {
  /** Targets and kinds of input. A short run uses one case of each. */
  readonly kinds: readonly string[];
  readonly title: string;
  readonly bytes: number;
  /**
   * Resolves when the node has responded or acknowledged. A rejection is ignored, because the node may
   * refuse in any way.
   */
  attack(ground: Ground): Promise<unknown>;
  /** Time within which any follow-up work starts, in ms. */
  readonly settleMs?: number;
  /** Whether the case takes a second or more. */
  readonly isSlow?: boolean;
}

/** Cost of a case: the minimum over its tries. */
export interface Figure {
  readonly title: string;
  /** CPU time of the longest event-loop tick, in ms. */
  readonly cpuMs: number;
  /** Memory above that of the idle process, and the limit for this case, in bytes. */
  readonly memory: number;
  readonly mayTake: number;
  /** Why the process ended; null if it survived. */
  readonly ended: string | null;
}

export interface Verdict {
  readonly cases: number;
  /** Cases that ended the process, or exceeded a limit in all three tries. */
  readonly failed: readonly Figure[];
  /** Cases above half of the CPU limit. */
  readonly listed: readonly Figure[];
}

export interface JudgeOptions {
  /** CPU ms above which a group is split. Default: LISTED_MS. At most MAX_TURN_MS, or failures are missed. */
  readonly suspectMs?: number;
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
/** Number of cases that are first measured together. Most cases cost too little to measure one by one. */
const TOGETHER = 24;

/** Returns the memory limit in bytes for processing this many bytes. */
export const mayTake = (bytes: number): number => 64 * MB + 3 * bytes;

/**
 * Runs cases in groups, which warms the node up. A group near a limit is run again in halves, down
 * to single cases, each up to three times.
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

/** Whether the whole group stays well below the limits. If so, each of its cases does too. */
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
    // Waits for the device, because a stalled node has lost its connection, and input without a receiver would cost
    // nothing.
    await ground.online().catch(() => {});
    const again = await costOf(ground, one, true);
    least = { ...again, cpuMs: Math.min(least.cpuMs, again.cpuMs), memory: Math.min(least.memory, again.memory) };
  }
  return least;
}

const isNearLimit = (figure: Figure): boolean => figure.cpuMs > LISTED_MS || isFailure(figure);

/** Measures one case. A process that ended is restarted first. */
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

/** Groups slow cases separately, so that they are not repeated whenever a quick case comes near a limit. */
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
