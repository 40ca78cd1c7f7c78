import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { pause, systemClock } from '../../../runtime/clock.ts';

export interface Watched {
  readonly rate: number;
  readonly cpuUs: number;
  /** The 99th percentile of how late the event loop was, ms. */
  readonly lateP99: number;
  /** The most that heap and buffers held beyond what they held before, garbage too, MB. */
  readonly heapMb: number;
}

const SAMPLE_MS = 20;
const RESOLUTION_MS = 1;

/** What `count` rows cost while `work` does them. */
export async function watched(count: number, work: () => Promise<void>): Promise<Watched> {
  globalThis.gc?.();
  const before = held();
  let most = before;
  let isOver = false;
  const sample = (): void => {
    most = Math.max(most, held());
    if (!isOver) systemClock.after(SAMPLE_MS, sample);
  };
  sample();
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const cpu = process.cpuUsage();
  const began = systemClock.monotonic();
  await work();
  const seconds = (systemClock.monotonic() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  isOver = true;
  const lateP99 = delay.percentile(99) / 1e6 - RESOLUTION_MS;
  return { rate: count / seconds, cpuUs: (user + system) / count, lateP99, heapMb: (most - before) / 2 ** 20 };
}

/** Turns that did less are the loop going round. */
const IDLE_US = 200;

/**
 * How much the event loop's thread works in one turn while `work` goes on: what a process asks of its loop, however busy the machine is
 * with others. Waiting for the disk is not in it. It turns all the time meanwhile, so nothing else can be measured.
 */
export async function turnsWatched(work: () => Promise<void>): Promise<{ readonly turnP99: number; readonly turnMost: number }> {
  const turns = createHistogram();
  let last = threadUs();
  let isOver = false;
  const turn = (): void => {
    const now = threadUs();
    if (now - last > IDLE_US) turns.record(now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  turn();
  await work();
  isOver = true;
  return { turnP99: turns.percentile(99) / 1_000, turnMost: turns.max / 1_000 };
}

const COLLECT_MS = 250;

/** The most that is in use beyond what was before, MB, while `work` goes on: all garbage is collected at each look. */
export async function liveWatched(work: () => Promise<void>): Promise<{ readonly liveMb: number }> {
  const live = (): number => {
    globalThis.gc?.();
    return held();
  };
  const before = live();
  let most = before;
  let isOver = false;
  const looking = (async () => {
    for (; !isOver; await pause(systemClock, COLLECT_MS)) most = Math.max(most, live());
  })();
  await work();
  isOver = true;
  await looking;
  return { liveMb: (most - before) / 2 ** 20 };
}

function threadUs(): number {
  const { user, system } = process.threadCpuUsage();
  return Math.round(user + system);
}

function held(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
