const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** How long to wait before the next try, ms: twice as long each time up to 15 s, and never all browsers at the same moment. */
export const waitBefore = (tries: number, random: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + random / 2);
