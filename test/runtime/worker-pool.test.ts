import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { aDirectory } from '../support/stores.ts';

const PROGRAM = fileURLToPath(new URL('./without-descriptors.ts', import.meta.url));

describe('a worker thread that cannot start for lack of file descriptors', () => {
  for (const [what, refused] of [
    ['pool', 'OVERLOADED'],
    ['reader', 'StoreBusy'],
    ['checkpoint', 'later'],
  ] as const)
    it(`fails only its own queued work, and the next thread can start (${what})`, async (t) => {
      const { stdout } = await promisify(execFile)('sh', [
        '-c',
        'ulimit -n 64; exec "$@"',
        'sh',
        process.execPath,
        PROGRAM,
        what,
        aDirectory(t),
      ]);
      assert.deepEqual(JSON.parse(stdout), [refused, refused, 'done']);
    });
});
