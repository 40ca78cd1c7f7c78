/** How far the network's clock and ours may differ, with the way between them, before a time of its own is believed. */
const SKEW_MS = 5_000;
/** The network's times are whole seconds. */
const LAST_OF_SECOND_MS = 999;

/**
 * The time of an event that carries the network's own time, epoch ms: our clock for live events, so that they never lie before our own actions;
 * the network's clock for events that it kept for us. Never before `since`.
 */
export function happenedAt(told: number, now: number, since = 0): number {
  const at = now - told < SKEW_MS ? now : told + LAST_OF_SECOND_MS;
  return Math.max(at, since);
}
