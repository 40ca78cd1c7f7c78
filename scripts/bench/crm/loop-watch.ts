import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../../runtime/clock.ts';

export interface Watched {
  readonly rate: number;
  readonly cpuUs: number;
  /** The 99th percentile of how late the event loop was, ms. */
  readonly lateP99: number;
  /** The most that heap and buffers held beyond what they held before, MB. */
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

function held(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
