import { type Clock, systemClock } from '../../runtime/clock.ts';

/**
 * Returns a clock that runs `speed` times as fast since `since` (epoch ms); its monotonic time runs
 * `deadlineSpeed` times as fast.
 */
export function hastyClock(speed: number, deadlineSpeed: number, since: number): Clock {
  return {
    now: () => Math.round(since + (systemClock.now() - since) * speed),
    monotonic: () => systemClock.monotonic() * deadlineSpeed,
    after: (ms, run) => systemClock.after(ms / speed, run),
  };
}
