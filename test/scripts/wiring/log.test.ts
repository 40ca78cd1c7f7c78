import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openLog } from '../../../scripts/wiring/log.ts';
import { aDirectory } from '../../support/stores.ts';

const run = promisify(execFile);

describe('the log', () => {
  it('is written at the end of each event-loop tick, in complete lines and in order', async (t) => {
    const path = join(aDirectory(t), 'log');
    const log = openLog({ level: 'info' }, path);
    for (const msg of ['one', 'two', 'three']) log.info(msg);
    assert.equal(readFileSync(path, 'utf8'), '');
    await nextTurn();
    assert.deepEqual(messagesIn(readFileSync(path, 'utf8')), ['one', 'two', 'three']);
  });

  it('does not affect the process if the disk is full', async () => {
    const log = openLog({ level: 'info' }, '/dev/full');
    for (let turn = 0; turn < 3; turn += 1) {
      log.info('nobody reads this');
      await nextTurn();
    }
  });

  it('contains the last lines of a process that exits, throws or logs a fatal error', async () => {
    for (const end of ['process.exit(0)', "throw new Error('gone')", "log.fatal('gone')"]) {
      const script = `import { openLog } from './scripts/wiring/log.ts'; const log = openLog({}); log.info('last words'); ${end}`;
      const args = ['--input-type=module', '-e', script];
      const { stdout } = await run(process.execPath, args, { timeout: 600_000 }).catch((cause: { stdout: string }) => cause);
      assert.equal(messagesIn(stdout)[0], 'last words', end);
    }
  });
});

const messagesIn = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
