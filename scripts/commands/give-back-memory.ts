import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../runtime/clock.ts';

/** Delay in ms before each check. */
const QUIET_MS = 1_000;
/** A node is quiet when its event loop was busy for less than this fraction of the time. */
const QUIET = 0.2;
/** Maximum heap in bytes. The pause grows with the heap, and a larger heap has already been collected by V8. */
const MAX_HEAP_BYTES = 64 * 2 ** 20;

/** Calls `whenQuiet` once the node has been almost idle for a second, when a short pause is harmless. */
export function onceQuiet(clock: Clock, whenQuiet: () => void): void {
  const before = performance.eventLoopUtilization();
  clock.after(QUIET_MS, () => (performance.eventLoopUtilization(before).utilization < QUIET ? whenQuiet() : onceQuiet(clock, whenQuiet)));
}

/**
 * Frees memory that only the start needed (garbage and code), which V8 would keep in an idle gateway.
 * Blocks the event loop for 110 to 170 ms of CPU. Node exposes the collection only with a flag. The flag is
 * removed again, because the cache of compiled code depends on the flags.
 */
export function giveBackMemory(): void {
  // Uses heap statistics, because reading the process's memory would need a file descriptor, which
  // may not be available.
  if (getHeapStatistics().used_heap_size > MAX_HEAP_BYTES) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
}
