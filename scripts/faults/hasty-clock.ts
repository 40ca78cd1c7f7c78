import { type Clock, systemClock } from '../../runtime/clock.ts';

/** From `since`, wall time and timers run `speed` times as fast; deadlines run at `deadlineSpeed`. */
export function hastyClock(speed: number, deadlineSpeed: number, since: number): Clock {
  return {
    now: () => Math.round(since + (systemClock.now() - since) * speed),
    monotonic: () => systemClock.monotonic() * deadlineSpeed,
    after: (ms, run) => systemClock.after(ms / speed, run),
  };
}
