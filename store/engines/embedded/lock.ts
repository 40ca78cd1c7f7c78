import { lockFile } from '../../../runtime/file-lock.ts';

/** Returns a function that releases the lock. Throws an Error if another process holds it. */
export function lock(path: string): () => void {
  const release = lockFile(path);
  if (!release) throw new Error(`The store ${path} is open already: only one process may use an embedded store.`);
  return release;
}
