import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { aDirectory } from '../../support/stores.ts';
import { Checkout } from './checkout.ts';

const RUN = join(import.meta.dirname, '../../../scripts/commands/run.js');
const KILLED = "process.kill(process.pid, 'SIGTERM');";

describe('a signal to npm start', () => {
  it('while the node starts ends it in order, once it has started', { timeout: 600_000 }, async (t) => {
    const { MONGODB_URL: _store, REDIS_URL: _cluster, ...env } = process.env;
    // It says first what is misspelled.
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
      'The gateway stops: what is on the wire is finished first. Once more ends it at once.',
      'The gateway has stopped.',
    ]);
  });

  it('before anything has begun ends it at once, also where the kernel drops what nobody listens to', async () => {
    using checkout = new Checkout();
    const loading = `${KILLED}\nexport const startGateway = () => void setTimeout(() => console.log('it began'), 1_000);\n`;
    checkout.write('scripts/start/gateway.ts', loading);
    const { exitCode, lines } = await checkout.run();
    assert.deepEqual([exitCode, lines], [0, ['']]);
  });

  it('is left to the node as soon as it listens', async () => {
    using checkout = new Checkout();
    const drains = "process.once('SIGTERM', () => setTimeout(() => console.log('drained'), 100));";
    const works = 'setTimeout(() => {}, 1_000);';
    checkout.write('scripts/start/gateway.ts', `export const startGateway = () => {\n  ${drains}\n  ${works}\n  ${KILLED}\n};\n`);
    const { exitCode, lines } = await checkout.run();
    assert.deepEqual([exitCode, lines], [0, ['drained']]);
  });
});
