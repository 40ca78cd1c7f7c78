import { pause, systemClock } from '../../runtime/clock.ts';
import { asError } from '../../runtime/errors.ts';
import type { Ground } from './ground.ts';

export interface Case {
  /** A short run uses only one case of each kind. */
  readonly kinds: readonly string[];
  readonly title: string;
  readonly bytes: number;
  /** Rejections are ignored, because the node may refuse an attack in any way. */
  attack(ground: Ground): Promise<unknown>;
  readonly settleMs?: number;
  readonly isSlow?: boolean;
}

/** The lowest figures of all attempts at a case. */
export interface Figure {
  readonly title: string;
  readonly cpuMs: number;
  /** Peak memory in bytes above that of the idle process. */
  readonly memory: number;
  readonly mayTake: number;
  readonly ended: string | null;
}

export interface Verdict {
  readonly cases: number;
  readonly failed: readonly Figure[];
  readonly listed: readonly Figure[];
}

export interface JudgeOptions {
  /** A group above this CPU time (ms) is split. A value above MAX_TURN_MS would miss failures. */
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
/** Size of a group. Most cases cost too little to be measured one by one. */
const TOGETHER = 24;

export const mayTake = (bytes: number): number => 64 * MB + 3 * bytes;

/** Runs cases in groups, which also warm up the node. A group near a limit is split into halves. */
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
    // Input sent before the device is online would not be received and would cost nothing.
    await ground.online().catch(() => {});
    const again = await costOf(ground, one, true);
    least = { ...again, cpuMs: Math.min(least.cpuMs, again.cpuMs), memory: Math.min(least.memory, again.memory) };
  }
  return least;
}

const isNearLimit = (figure: Figure): boolean => figure.cpuMs > LISTED_MS || isFailure(figure);

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

/** Slow cases have their own groups, because a group near a limit is measured again as a whole. */
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
