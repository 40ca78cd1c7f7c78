/**
 * Timers of disappearing messages. A chat has one, set by anybody in it; messages written while it is on disappear from phones when it ends, counted
 * from when they were written, and from our store (services/privacy/vanishing.ts).
 */

/** Seconds, as the network offers them; 0: off. */
export const TIMERS = [0, 86_400, 604_800, 7_776_000] as const;
export type Timer = (typeof TIMERS)[number];

/** One of the values that the network offers; null: something else, which is not taken from anybody. */
export const timerOf = (seconds: unknown): Timer | null => TIMERS.find((one) => one === seconds) ?? null;

/** The same where a message disappears at all. */
export const lifetimeOf = (seconds: unknown): Timer | null => timerOf(seconds) || null;
