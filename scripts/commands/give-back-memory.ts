import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../runtime/clock.ts';

const QUIET_MS = 1_000;
const QUIET = 0.2;
/**
 * Above this size, collecting would block for too long. V8 collects a larger heap by itself anyway.
 */
const MAX_HEAP_BYTES = 64 * 2 ** 20;

export function onceQuiet(clock: Clock, whenQuiet: () => void): void {
  const before = performance.eventLoopUtilization();
  clock.after(QUIET_MS, () => (performance.eventLoopUtilization(before).utilization < QUIET ? whenQuiet() : onceQuiet(clock, whenQuiet)));
}

/**
 * Frees memory that was needed only for startup. This blocks the process for 110 to 170 ms. The
 * flag is reset, because cached code is valid only for the flags under which it was compiled.
 */
export function giveBackMemory(): void {
  // Checks only the heap size, because reading the process's memory would need a file descriptor.
  if (getHeapStatistics().used_heap_size > MAX_HEAP_BYTES) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
}
