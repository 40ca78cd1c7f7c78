import { readdirSync, readFileSync } from 'node:fs';

const childrenOf = (thread: string): readonly string[] =>
  readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);

const isZombie = (pid: string): boolean => {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** Counts this process's open descriptors, and its children that have ended but were not waited for. */
export const held = (): { readonly descriptors: number; readonly zombies: number } => ({
  descriptors: readdirSync('/proc/self/fd').length,
  zombies: readdirSync('/proc/self/task').flatMap(childrenOf).filter(isZombie).length,
});
