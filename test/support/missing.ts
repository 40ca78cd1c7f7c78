import { spawnSync } from 'node:child_process';

/** Returns why a test that needs a program is skipped; false if the program is installed. */
export function missing(program: string): string | false {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0 ? false : `${program} is not installed here`;
}
