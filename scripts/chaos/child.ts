import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../runtime/clock.ts';

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface Child {
  /** Resolves to the exit code, or null if a signal ended the process. */
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

const STARTED_WITHIN_MS = 300_000;

export function inTime<T>(who: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(STARTED_WITHIN_MS, () => reject(new Error(`${who} did not start in time`)));
    work.finally(cancel).then(resolve, reject);
  });
}
