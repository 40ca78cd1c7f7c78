import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const ROOMY_BYTES = 2 ** 31;
/**
 * Where stores lie: in memory where there is plenty, because tests wait for a busy disk more than for anything else. What a kill leaves behind
 * is the same there, and what a power cut leaves no test can see.
 */
export const shelf = isRoomy('/dev/shm') ? '/dev/shm' : tmpdir();

function isRoomy(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize > ROOMY_BYTES;
  } catch {
    return false;
  }
}
