import { DatabaseSync } from 'node:sqlite';

const BUSY = 5;

/**
 * Locks `path` for this process and returns a function that releases the lock; null if another
 * process holds it. The operating system holds the lock on `<path>.lock`, so it ends with the
 * process, however the process ends.
 */
export function lockFile(path: string): (() => void) | null {
  const holder = new DatabaseSync(`${path}.lock`);
  try {
    holder.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    holder.close();
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === BUSY) return null;
    throw cause;
  }
  return () => holder.close();
}
