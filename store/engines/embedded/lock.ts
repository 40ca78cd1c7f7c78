import { lockFile } from '../../../runtime/file-lock.ts';

export function lock(path: string): () => void {
  const release = lockFile(path);
  if (!release) throw new Error(`The store ${path} is open already: only one process may use an embedded store.`);
  return release;
}
