import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';

const PROBE = Buffer.alloc(256 * 1024);
const ASKED_EVERY_MS = 1_000;

/** Returns a check that writes a probe file, named after `node` because nodes may share the directory. */
export function roomIn(directory: string, node: string, clock: Pick<Clock, 'monotonic'>): () => Promise<void> {
  const path = join(directory, `.room-${node}`);
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer = Promise.resolve();
  return () => {
    if (clock.monotonic() - askedAt >= ASKED_EVERY_MS) {
      askedAt = clock.monotonic();
      answer = probed(path);
    }
    return answer;
  };
}

async function probed(path: string): Promise<void> {
  try {
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(PROBE);
      await file.datasync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}
