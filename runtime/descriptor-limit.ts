import { readFileSync } from 'node:fs';

/** How many descriptors this process may have open, as its host set it (`ulimit -n`); null: the host does not say, or sets no limit. */
export function descriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
