import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Creates a folder in `data`, because fsync may be a no-op in the system's temporary directory. */
export function scratchDirectory(): string {
  mkdirSync('data', { recursive: true });
  const directory = mkdtempSync(join('data', 'bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
