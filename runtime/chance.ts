/** A number in [0, 1). Injected wherever luck matters, so that a seed replays a run. */
export type Chance = () => number;

export const systemChance: Chance = () => Math.random();

/** A small deterministic generator (mulberry32) for tests and the sandbox; not for secrets. */
export function seededChance(seed: number): Chance {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
