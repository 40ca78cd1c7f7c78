const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/**
 * Returns the delay before the next try in ms. It doubles each time up to 15 s and is randomized,
 * so that browsers do not reconnect at the same moment. `random`: 0 to 1.
 */
export const waitBefore = (tries: number, random: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + random / 2);
