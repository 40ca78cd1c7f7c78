import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
/**
 * Index of the ended children's CPU ticks in Linux's process statistics, counted after the name, which may contain any
 * character.
 */
const CUTIME = 13;
const CSTIME = 14;

/** Seconds of CPU time of this process's ended children; null if the system does not report it. */
export function cpuOfEndedChildren(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[CUTIME]) + Number(fields[CSTIME])) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}
