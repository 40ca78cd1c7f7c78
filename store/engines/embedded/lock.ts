import { DatabaseSync } from 'node:sqlite';

const BUSY = 5;

/**
 * Locks `path` for this store and returns a function that releases the lock. The operating system
 * holds the lock (a file next to the store, locked for writing), so it ends with the process
 * however that dies. Throws an Error if another process holds it.
 */
export function lock(path: string): () => void {
  const holder = new DatabaseSync(`${path}.lock`);
  try {
    holder.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    holder.close();
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === BUSY) {
      throw new Error(`The store ${path} is open already: only one process may use an embedded store.`, { cause });
    }
    throw cause;
  }
  return () => holder.close();
}
