import { readFileSync } from 'node:fs';

/**
 * Returns the maximum number of open descriptors of this process, as set by the host (`ulimit -n`);
 * null when unknown or unlimited.
 */
export function descriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
