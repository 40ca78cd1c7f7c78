import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { at } from '../../../runtime/invariant.ts';
import type { LoadOrder, LoadReport } from './load.ts';

/** What callers do to the server of this process. */
export type Target = Required<Pick<LoadOrder, 'port' | 'requests' | 'status'>>;

/** Answers a second; CPU microseconds an answer, of the whole process with its threads; and the slowest of a hundred, in ms. */
export interface Served {
  readonly rate: number;
  readonly cpuUs: number;
  readonly p99: number;
}

const CONNECTIONS = 50;

/**
 * The load comes from a process of its own: only this process's CPU is counted, after `warmUp` answers that are not counted. The requests are
 * handed over before that, and those that are counted come after those that are not. Rejects when an answer was wrong.
 */
async function underLoad({ requests, ...target }: Target, warmUp: number, answers: number, warm: () => void): Promise<Served> {
  const generator = fork(fileURLToPath(new URL('./load.ts', import.meta.url)));
  try {
    // Before the warm-up: a collection that is asked for throws compiled code away, and what is compiled anew would be counted.
    globalThis.gc?.();
    await play(generator, { ...target, requests, connections: CONNECTIONS, answers: warmUp });
    warm();
    const cpu = process.cpuUsage();
    const { seconds, p99 } = await play(generator, { ...target, connections: CONNECTIONS, answers });
    const { user, system } = process.cpuUsage(cpu);
    return { rate: answers / seconds, cpuUs: (user + system) / answers, p99 };
  } finally {
    generator.kill();
  }
}

/** The report of one stretch of load. */
export async function play(generator: ChildProcess, order: LoadOrder): Promise<LoadReport> {
  generator.send(order);
  const messages: LoadReport[] = await once(generator, 'message');
  const report = at(messages, 0);
  if (report.complaint) throw new Error(`error under load: ${report.complaint}`);
  return report;
}

/** How many answers a full measurement takes. */
interface Full {
  readonly warmUp: number;
  readonly answers: number;
}

/**
 * How a variant ends: its figures for the command line's `quick` or `full` are the last that it says. `warm` is called before what is measured;
 * `end`, told how many answers there were, may add figures.
 */
export async function report(
  target: Target,
  full: Full = { warmUp: 30_000, answers: 30_000 },
  end: (answers: number) => Promise<object> = async () => ({}),
  warm: () => void = () => {},
): Promise<never> {
  const { warmUp, answers } = process.argv[2] === 'quick' ? { warmUp: 100, answers: 300 } : full;
  const served = await underLoad(target, warmUp, answers, warm);
  console.log(JSON.stringify({ ...served, ...(await end(answers)) }));
  process.exit(0);
}
