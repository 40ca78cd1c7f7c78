/**
 * Timers of disappearing messages. A chat has one, which anyone in it can set. Messages written
 * while it is on disappear after that time, counted from when they were written, from phones and
 * from our store (services/privacy/vanishing.ts).
 */

/** Timers that the network offers, in seconds; 0 is off. */
export const TIMERS = [0, 86_400, 604_800, 7_776_000] as const;
export type Timer = (typeof TIMERS)[number];

/** Returns the timer if the network offers it; null for any other value, which is ignored. */
export const timerOf = (seconds: unknown): Timer | null => TIMERS.find((one) => one === seconds) ?? null;

/** Returns the timer of a message that disappears; null when it does not. */
export const lifetimeOf = (seconds: unknown): Timer | null => timerOf(seconds) || null;
