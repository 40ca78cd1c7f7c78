import { readdirSync, readFileSync } from 'node:fs';

export interface TreeUse {
  readonly memoryBytes: number;
  /** CPU time used so far, including descendants that have ended. */
  readonly cpuMs: number;
  readonly processes: number;
}

/** Ticks per second in `/proc`, the same on every Linux. */
const TICKS = 100;
const KB = 1_024;
/** Maximum number of processes to read; a child with that many is ended anyway. */
const MAX_PROCESSES = 100;

/**
 * Returns the resource use of a process and its descendants; null if the process has ended or no
 * descriptors are left for reading.
 */
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

/** Returns the children of every thread, because each thread may have started processes. */
function childrenOf(folder: string): number[] {
  try {
    return readdirSync(`${folder}/task`).flatMap((thread) =>
      (textOf(`${folder}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/**
 * Returns the CPU ticks of a process and its awaited children. The process name before them may
 * contain spaces and brackets.
 */
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
