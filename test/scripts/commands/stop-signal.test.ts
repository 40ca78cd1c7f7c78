import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { aDirectory } from '../../support/stores.ts';

const RUN = join(import.meta.dirname, '../../../scripts/commands/run.js');

describe('a signal during npm start', () => {
  it('shuts the node down gracefully once the node has started', { timeout: 600_000 }, async (t) => {
    // The misspelled variable is reported before the node starts.
    const { MONGODB_URL: _store, REDIS_URL: _cluster, ...env } = process.env;
    const own = { PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: aDirectory(t), LOG_LEVLE: 'silent' };
    const child = spawn(process.execPath, [RUN, 'start'], { env: { ...env, ...own } });
    const ended = once(child, 'exit');
    t.after(() => child.kill('SIGKILL'));
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      if (said.length === 0) child.kill('SIGTERM');
      said.push(line);
    }
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(said, [
      'The environment variable LOG_LEVLE is not read: did you mean LOG_LEVEL?',
      'The gateway is stopping after the work in progress. Send the signal again to stop it at once.',
      'The gateway has stopped.',
    ]);
  });
});
