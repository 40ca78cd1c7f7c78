import { readFileSync } from 'node:fs';

/** Maximum number of open descriptors (`ulimit -n`); null when unknown or unlimited. */
export function descriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
