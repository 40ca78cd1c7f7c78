/**
 * While a chat's timer is on, each new message disappears after that time, both from phones and
 * from our store (services/privacy/vanishing.ts).
 */

/** Timers that the network offers, in seconds. 0 means off. */
export const TIMERS = [0, 86_400, 604_800, 7_776_000] as const;
export type Timer = (typeof TIMERS)[number];

export const timerOf = (seconds: unknown): Timer | null => TIMERS.find((one) => one === seconds) ?? null;

export const lifetimeOf = (seconds: unknown): Timer | null => timerOf(seconds) || null;
