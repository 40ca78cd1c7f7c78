import { systemClock } from '../../../runtime/clock.ts';

export interface Cost {
  readonly cpuMs: number;
  readonly heldMs: number;
}

export async function costOf(runs: number, warmUp: number, work: () => Promise<unknown>): Promise<Cost> {
  for (let nth = 0; nth < warmUp; nth += 1) await work();
  const cpu: number[] = [];
  const held: number[] = [];
  for (let nth = 0; nth < runs; nth += 1) {
    globalThis.gc?.();
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1_000);
    held.push(await longestTurn(work));
  }
  return { cpuMs: median(cpu), heldMs: median(held) };
}

async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let last = systemClock.monotonic();
  const turn = (): void => {
    longest = Math.max(longest, systemClock.monotonic() - last);
    last = systemClock.monotonic();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  await new Promise(setImmediate);
  isOver = true;
  return longest;
}

const median = (all: readonly number[]): number => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? Number.NaN;
