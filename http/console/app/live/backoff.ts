const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** Delay in ms, doubling up to 15 s, randomized so that browsers do not reconnect together. `random`: 0 to 1. */
export const waitBefore = (tries: number, random: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + random / 2);
