import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const ROOMY_BYTES = 2 ** 31;
/**
 * Directory for store files: in memory if there is enough, because tests mostly wait for the disk. A kill leaves the
 * same files there; the effects of a power failure cannot be tested anyway.
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
