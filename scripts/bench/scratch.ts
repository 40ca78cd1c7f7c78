import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A directory for one run, gone when the process ends. Under `data` rather than in the system's temporary directory, whose fsync may cost nothing. */
export function scratchDirectory(): string {
  mkdirSync('data', { recursive: true });
  const directory = mkdtempSync(join('data', 'bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
