const SKEW_MS = 5_000;
/** Added to the network's times, because they are in whole seconds. */
const LAST_OF_SECOND_MS = 999;

/** Live events use our clock, so that they never precede our own actions. */
export function happenedAt(told: number, now: number, since = 0): number {
  const at = now - told < SKEW_MS ? now : told + LAST_OF_SECOND_MS;
  return Math.max(at, since);
}
