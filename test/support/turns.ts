import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Milliseconds of CPU of this thread in the longest turn of the event loop while `work` is under
 * way.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let ms = 0;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const before = process.threadCpuUsage();
      await nextTurn();
      const { user, system } = process.threadCpuUsage(before);
      ms = Math.max(ms, (user + system) / 1_000);
    }
  };
  const watching = watch();
  try {
    await work();
    await nextTurn();
    return ms;
  } finally {
    isOver = true;
    await watching;
  }
}

/**
 * The longest turn of `work`, the least of three: what else this process does counts in some of
 * them only.
 */
export async function leastOfThree(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3; tries += 1) least = Math.min(least, await longestTurn(work));
  return least;
}
