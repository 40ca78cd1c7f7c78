import { DatabaseSync } from 'node:sqlite';

const BUSY = 5;

/** Null if another process holds the lock. A lock is released when its process exits for any reason. */
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
