import type { Outcome, Plan } from './play.ts';

/**
 * Returns the smallest part of a failing plan that still breaks the same promise, by leaving out halves, quarters … of
 * its actions (ddmin). Returns null if the plan does not fail. `mostPlays` limits the number of runs.
 */
export async function minimised(plan: Plan, playIt: (plan: Plan) => Promise<Outcome>, mostPlays: number): Promise<Plan | null> {
  const first = await playIt(plan);
  const wanted = first.violations[0]?.invariant;
  if (wanted === undefined) return null;
  let kept = first.actions;
  let plays = 1;
  const breaks = async (only: readonly string[]): Promise<boolean> => {
    plays += 1;
    const { violations } = await playIt({ ...plan, only });
    return violations.some(({ invariant }) => invariant === wanted);
  };
  for (let parts = 2; kept.length > 1 && plays < mostPlays; ) {
    const size = Math.ceil(kept.length / parts);
    const smaller = await without(kept, size, breaks, () => plays < mostPlays);
    if (smaller) {
      kept = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) break;
    else parts = Math.min(kept.length, parts * 2);
  }
  return { ...plan, only: kept };
}

async function without(
  kept: readonly string[],
  size: number,
  breaks: (only: readonly string[]) => Promise<boolean>,
  mayPlay: () => boolean,
): Promise<readonly string[] | null> {
  for (let at = 0; at < kept.length && mayPlay(); at += size) {
    const rest = kept.toSpliced(at, size);
    if (await breaks(rest)) return rest;
  }
  return null;
}
