const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** Random, so that browsers do not all reconnect at the same time. `random` is from 0 to 1. */
export const waitBefore = (tries: number, random: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + random / 2);
