import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { aDirectory } from '../../support/stores.ts';

const LOSES = `
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
it('loses a rejection', async () => {
  await setImmediate();
  Promise.reject(new Error('lost'));
  await setImmediate();
});`;

it('a test file fails when it loses a rejection, and says where', (t) => {
  const file = join(aDirectory(t), 'loses.test.mjs');
  writeFileSync(file, LOSES);
  const preload = `--import=${join(import.meta.dirname, '../../support/untracked-promises.ts')}`;
  // In a run of its own.
  const { NODE_TEST_CONTEXT: _own, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, [preload, '--test', '--test-reporter=spec', file], { env, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stdout, /nobody handled a rejection: Error: lost\s+at .*loses\.test\.mjs:6/);
});
