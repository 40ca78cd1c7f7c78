import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../runtime/clock.ts';

/** So long after the start, and again until it is quiet. */
const QUIET_MS = 1_000;
/** The part of that time in which a quiet node does something. */
const QUIET = 0.2;
/** What it holds up grows with the heap, and a larger one has been collected on its way. */
const MAX_HEAP_BYTES = 64 * 2 ** 20;

/** Calls `whenQuiet` once, when the node has done next to nothing for a second: it may hold up everybody for a moment. */
export function onceQuiet(clock: Clock, whenQuiet: () => void): void {
  const before = performance.eventLoopUtilization();
  clock.after(QUIET_MS, () => (performance.eventLoopUtilization(before).utilization < QUIET ? whenQuiet() : onceQuiet(clock, whenQuiet)));
}

/**
 * Gives back what only the start needed: its garbage, its code, and the pages of both, which V8 kept for good in a gateway that stays idle. This holds up
 * everybody for 110 to 170 ms of CPU. Node offers it to a process that was started with a flag; the flag is taken back, because compiled code is kept by flags.
 */
export function giveBackMemory(): void {
  // Memory of the process would be read from a file, for which no descriptor may be left.
  if (getHeapStatistics().used_heap_size > MAX_HEAP_BYTES) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
}
