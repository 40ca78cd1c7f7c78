const SKEW_MS = 5_000;
/** The network reports whole seconds, so the actual time may be up to this much later. */
const LAST_OF_SECOND_MS = 999;

/** Dates live events by our clock, so that they never precede our own actions. */
export function happenedAt(told: number, now: number, since = 0): number {
  const at = now - told < SKEW_MS ? now : told + LAST_OF_SECOND_MS;
  return Math.max(at, since);
}
