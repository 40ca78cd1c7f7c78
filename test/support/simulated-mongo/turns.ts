import type { Clock } from '../../../runtime/clock.ts';
import { seededRandom } from '../../../runtime/random.ts';
import type { Passage } from './simulated-mongo.ts';

/** Maximum number of event-loop ticks per direction. */
const MOST = 2;

/**
 * A passage for tests: no time passes, but each call is applied some event-loop ticks later, and its response takes
 * some more. The seed determines the numbers, so calls overtake each other in the same order in each run.
 */
export function turnsPassage(seed: number): Passage {
  const random = seededRandom(seed);
  const turns = (): number => Math.floor(random() * (MOST + 1));
  return async (apply) => {
    const back = turns();
    await passed(turns());
    try {
      return apply();
    } finally {
      await passed(back);
    }
  };
}

async function passed(turns: number): Promise<void> {
  for (let nth = 0; nth < turns; nth += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Operations that may be batched wait for one tick. */
export const turns: Pick<Clock, 'after'> = {
  after(_ms, run) {
    const due = setImmediate(run);
    return () => clearImmediate(due);
  },
};
