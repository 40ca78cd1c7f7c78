const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** The delay is random, so that browsers do not all reconnect at once. `random` is from 0 to 1. */
export const waitBefore = (tries: number, random: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + random / 2);
