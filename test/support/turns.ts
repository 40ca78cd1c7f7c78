import { setImmediate as nextTurn } from 'node:timers/promises';

/** Returns the CPU time of this thread, in ms, of the longest event-loop tick while `work` runs. */
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

/** Returns the least result of three runs, because other work of this process affects only some of them. */
export async function leastOfThree(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3; tries += 1) least = Math.min(least, await longestTurn(work));
  return least;
}
