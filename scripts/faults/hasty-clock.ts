import { type Clock, systemClock } from '../../runtime/clock.ts';

/** Runs `speed` times as fast since `since` (epoch ms), the monotonic clock `deadlineSpeed` times. */
export function hastyClock(speed: number, deadlineSpeed: number, since: number): Clock {
  return {
    now: () => Math.round(since + (systemClock.now() - since) * speed),
    monotonic: () => systemClock.monotonic() * deadlineSpeed,
    after: (ms, run) => systemClock.after(ms / speed, run),
  };
}
