import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { pause, systemClock } from '../../../runtime/clock.ts';

export interface Watched {
  readonly rate: number;
  readonly cpuUs: number;
  readonly lateP99: number;
  /**
   * Peak growth of the heap and of external buffers since the start, in MB, including uncollected
   * garbage.
   */
  readonly heapMb: number;
}

const SAMPLE_MS = 20;
const RESOLUTION_MS = 1;

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

/** Ticks shorter than this are the idle loop itself. */
const IDLE_US = 200;

/** Keeps the loop busy while `work` runs, so do not measure anything else at the same time. */
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

/** Returns the peak growth of live memory in MB. Collects garbage before each sample. */
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
