/** Largest difference between the network's clock and ours, including transit time, for which our clock is used. */
const SKEW_MS = 5_000;
/** The network's times are in whole seconds. */
const LAST_OF_SECOND_MS = 999;

/**
 * Epoch ms: our clock for live events, so that they never precede our own actions; the network's
 * time for events that it stored while we were offline. Never before `since`.
 */
export function happenedAt(told: number, now: number, since = 0): number {
  const at = now - told < SKEW_MS ? now : told + LAST_OF_SECOND_MS;
  return Math.max(at, since);
}
