import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { at } from '../../../runtime/invariant.ts';
import type { LoadOrder, LoadReport } from './load.ts';

export type Target = Required<Pick<LoadOrder, 'port' | 'requests' | 'status'>>;

export interface Served {
  readonly rate: number;
  readonly cpuUs: number;
  readonly p99: number;
}

const CONNECTIONS = 50;

/** Counts only this process's CPU time after `warmUp` responses. Rejects if a response is wrong. */
async function underLoad({ requests, ...target }: Target, warmUp: number, answers: number, warm: () => void): Promise<Served> {
  const generator = fork(fileURLToPath(new URL('./load.ts', import.meta.url)));
  try {
    // Collects before the warm-up, because a forced collection discards compiled code.
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

export async function play(generator: ChildProcess, order: LoadOrder): Promise<LoadReport> {
  generator.send(order);
  const messages: LoadReport[] = await once(generator, 'message');
  const report = at(messages, 0);
  if (report.complaint) throw new Error(`error under load: ${report.complaint}`);
  return report;
}

interface Full {
  readonly warmUp: number;
  readonly answers: number;
}

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
