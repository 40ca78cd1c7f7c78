import type { Clock } from '../../../runtime/clock.ts';
import { seededRandom } from '../../../runtime/random.ts';
import type { Passage } from './simulated-mongo.ts';

/** Turns of the event loop that a way takes at most. */
const MOST = 2;

/**
 * For stories: no time passes, but each call is applied some turns of the event loop later, and answered some turns after that. The seed chooses how many, so
 * that calls overtake each other, in the same order in each run.
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

/** What waits for others to ask with it waits for one turn. */
export const turns: Pick<Clock, 'after'> = {
  after(_ms, run) {
    const due = setImmediate(run);
    return () => clearImmediate(due);
  },
};
