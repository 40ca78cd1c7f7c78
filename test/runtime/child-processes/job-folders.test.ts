import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { it } from 'node:test';
import { openJobFolders } from '../../../runtime/child-processes/job-folders.ts';
import { aDirectory } from '../../support/stores.ts';

const TRIES = 10;
const BUSY_MS = 40;

it('the folder of a process is removed even while jobs still create folders in it', async (t) => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const folders = await openJobFolders(aDirectory(t));
    await Promise.all(Array.from({ length: 50 }, () => folders.make()));
    const busy = (async () => {
      for (const end = performance.now() + BUSY_MS; performance.now() < end; ) await folders.make().catch(() => {});
    })();
    await folders.close();
    await busy;
    assert.equal(existsSync(folders.path), false);
  }
});
