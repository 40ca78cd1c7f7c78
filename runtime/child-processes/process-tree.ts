import { readdirSync, readFileSync } from 'node:fs';

export interface TreeUse {
  readonly memoryBytes: number;
  readonly cpuMs: number;
  readonly processes: number;
}

/** Clock ticks per second in `/proc`. The value is the same on all Linux systems. */
const TICKS = 100;
const KB = 1_024;
const MAX_PROCESSES = 100;

/** Returns null if the process has ended, or if no descriptor is free for reading its files. */
export function useOf(pid: number): TreeUse | null {
  let [memoryBytes, ticks, processes] = [0, 0, 0];
  const left = [pid];
  for (let next = left.pop(); next !== undefined && processes < MAX_PROCESSES; next = left.pop()) {
    const folder = `/proc/${next}`;
    const stat = textOf(`${folder}/stat`);
    if (stat === null) continue;
    processes += 1;
    ticks += ticksIn(stat);
    memoryBytes += residentIn(textOf(`${folder}/status`) ?? '');
    left.push(...childrenOf(folder));
  }
  return processes === 0 ? null : { memoryBytes, cpuMs: (ticks * 1_000) / TICKS, processes };
}

function childrenOf(folder: string): number[] {
  try {
    return readdirSync(`${folder}/task`).flatMap((thread) =>
      (textOf(`${folder}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Includes reaped children. The process name may contain spaces, so fields are read after its `)`. */
function ticksIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

const residentIn = (status: string): number => Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * KB;

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
