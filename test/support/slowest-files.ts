/** A reporter of `node --test`: at the end it prints the files that took longest, for who wants the run to be shorter. */
import { readFileSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';

const SHOWN = 10;

interface FileCost {
  readonly file: string;
  readonly seconds: number;
  /** Of its process and those it started and waited for; less depends on what else the machine does. Null where the system does not say. */
  readonly cpuSeconds: number | null;
}

/** Prints nothing for a single file. */
export default async function* slowestFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  const costs: FileCost[] = [];
  let before = cpuOfChildren();
  for await (const event of source) {
    // The runner's own entry for a file: it comes once the file's process has ended.
    if (event.type !== 'test:complete' || event.data.nesting > 0 || !event.data.file?.endsWith(`/${event.data.name}`)) continue;
    const now = cpuOfChildren();
    costs.push({
      file: event.data.name,
      seconds: event.data.details.duration_ms / 1_000,
      cpuSeconds: now === null || before === null ? null : now - before,
    });
    before = now;
  }
  if (costs.length > 1) yield summaryOf(costs);
}

function summaryOf(costs: readonly FileCost[]): string {
  const slowest = [...costs].sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
  const all: FileCost = {
    file: `all ${costs.length} files, one after the other`,
    seconds: costs.reduce((sum, { seconds }) => sum + seconds, 0),
    cpuSeconds: costs.reduce<number | null>((sum, { cpuSeconds }) => (sum === null || cpuSeconds === null ? null : sum + cpuSeconds), 0),
  };
  return `\nThe slowest files:\n seconds     CPU\n${[...slowest, all].map(lineOf).join('')}`;
}

const lineOf = ({ file, seconds, cpuSeconds }: FileCost): string =>
  `${seconds.toFixed(1).padStart(8)}${(cpuSeconds?.toFixed(1) ?? '').padStart(8)}  ${file}\n`;

const TICKS_PER_SECOND = 100;
/** Where Linux counts, in ticks, what ended children used; from the end of the name, which may contain anything. */
const CUTIME = 13;
const CSTIME = 14;

function cpuOfChildren(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[CUTIME]) + Number(fields[CSTIME])) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}
