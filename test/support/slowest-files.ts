/** A `node --test` reporter that prints the slowest files at the end of a run. */
import { existsSync, readFileSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { cpuOfEndedChildren } from './cpu.ts';

const SHOWN = Number(process.env['TEST_SLOWEST'] ?? 10);

interface FileCost {
  readonly file: string;
  readonly seconds: number;
  /**
   * CPU time of the file's process and of the children it waited for, which depends less on other load than wall time.
   * Null if the system does not report it.
   */
  readonly cpuSeconds: number | null;
}

/** Prints nothing for a single file. */
export default async function* slowestFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  const since = performance.now();
  const costs: FileCost[] = [];
  let before = cpuOfEndedChildren();
  for await (const event of source) {
    // The runner's own entry for a file, which comes once the file's process has ended.
    if (event.type !== 'test:complete' || event.data.nesting > 0 || !event.data.file?.endsWith(event.data.name)) continue;
    const now = cpuOfEndedChildren();
    costs.push({
      file: event.data.name,
      seconds: event.data.details.duration_ms / 1_000,
      cpuSeconds: now === null || before === null ? null : now - before,
    });
    before = now;
  }
  const files = [...costs.filter(({ file }) => file.endsWith('.test.ts')), ...costsWithin()];
  if (files.length > 1) yield summaryOf(costs, files, (performance.now() - since) / 60_000);
}

/** Returns the cost of each file that shared its process (together.ts). */
function costsWithin(): readonly FileCost[] {
  const costs = process.env['TEST_COSTS'];
  if (!costs || !existsSync(costs)) return [];
  const lines = readFileSync(costs, 'utf8').split('\n');
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

function summaryOf(processes: readonly FileCost[], files: readonly FileCost[], minutes: number): string {
  const slowest = [...files].sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
  const all: FileCost = {
    file: `all ${files.length} files in ${processes.length} processes, one after the other; it took ${minutes.toFixed(1)} minutes`,
    seconds: processes.reduce((sum, { seconds }) => sum + seconds, 0),
    cpuSeconds: processes.reduce<number | null>(
      (sum, { cpuSeconds }) => (sum === null || cpuSeconds === null ? null : sum + cpuSeconds),
      0,
    ),
  };
  return `\nThe slowest files:\n seconds     CPU\n${[...slowest, all].map(lineOf).join('')}`;
}

const lineOf = ({ file, seconds, cpuSeconds }: FileCost): string =>
  `${seconds.toFixed(1).padStart(8)}${(cpuSeconds?.toFixed(1) ?? '').padStart(8)}  ${file}\n`;
