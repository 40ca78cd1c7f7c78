/** A number in [0, 1); injected wherever randomness matters, so that a seed can replay a run. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

export function oneOf<T extends NonNullable<unknown>>(from: readonly T[], random: Random): T {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new RangeError('nothing to choose from');
  return one;
}

/** The mulberry32 generator, for tests and the sandbox. Do not use it for secrets. */
export function seededRandom(seed: number): Random {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
