import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../runtime/clock.ts';

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface Child {
  /** Exit code; null if a signal ended the process. */
  readonly ended: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<unknown>;
}

export function kept(child: ChildProcess): Child {
  children.add(child);
  const ended = once(child, 'exit').then(([code]): number | null => {
    children.delete(child);
    return code;
  });
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  return {
    ended,
    signal,
    kill() {
      signal('SIGKILL');
      return ended;
    },
  };
}

/** Allows for a machine that is busy with other work. */
const STARTED_WITHIN_MS = 300_000;

/** Rejects when `work` takes longer than five minutes. */
export function inTime<T>(who: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(STARTED_WITHIN_MS, () => reject(new Error(`${who} did not start in time`)));
    work.finally(cancel).then(resolve, reject);
  });
}
