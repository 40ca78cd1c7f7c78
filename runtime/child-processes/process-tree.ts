import { readdirSync, readFileSync } from 'node:fs';

/** What a process and its descendants use, as `/proc` says. */
export interface TreeUse {
  readonly memoryBytes: number;
  /** Spent so far, descendants that ended included. */
  readonly cpuMs: number;
  readonly processes: number;
}

/** Ticks of a second in `/proc`: the same on every Linux. */
const TICKS = 100;
const KB = 1_024;
/** More are not looked at: whoever has so many is ended. */
const MAX_PROCESSES = 100;

/** Null when nothing of it could be read: it has ended, or no descriptor is left to read with. */
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

/** Of each thread, which may have started processes of its own. */
function childrenOf(folder: string): number[] {
  try {
    return readdirSync(`${folder}/task`).flatMap((thread) =>
      (textOf(`${folder}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Its own time and that of the children it has waited for; the name before them may hold spaces and brackets. */
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
