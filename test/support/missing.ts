import { spawnSync } from 'node:child_process';

/** Why a test is skipped that needs a program; false when the program is installed. */
export function missing(program: string): string | false {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0 ? false : `${program} is not installed here`;
}
