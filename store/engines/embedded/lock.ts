import { DatabaseSync } from 'node:sqlite';

const BUSY = 5;

/**
 * Makes this the only store on `path` until the answer is called. The operating system holds the lock (a file beside the store,
 * locked for writing), so it ends with the process however that dies. Throws an Error when somebody else holds it.
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
