import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createAdminAuth } from '../../../http/auth/admin-auth.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { readConfig } from '../../../scripts/wiring/config.ts';
import { startNode } from '../../../scripts/wiring/node.ts';
import { secretsFor } from '../../../scripts/wiring/secrets.ts';
import { aDirectory } from '../../support/stores.ts';

const FILES = ['admin-secret', 'jwt-secret'];

const configIn = (directory: string, env: Readonly<Record<string, string>> = {}) =>
  readConfig({ DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'silent', ...env }, '/nowhere');

async function start(t: TestContext, directory: string): Promise<void> {
  const node = await startNode(configIn(directory));
  t.after(() => node.stop());
}

describe('secrets created on the first start', () => {
  it('are reused on the next start, and can be read only by their owner', (t) => {
    const directory = aDirectory(t);
    const { admin, jwt } = secretsFor(configIn(directory));
    const again = secretsFor(configIn(directory));
    assert.deepEqual([again.admin, again.jwt], [admin, jwt]);
    assert.deepEqual(readdirSync(directory).sort(), FILES, 'and nothing else is left');
    for (const name of FILES) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600);
    assert.equal(readFileSync(join(directory, 'admin-secret'), 'utf8'), `${admin}\n`);
  });

  it('prevent startup, with an explanation, if an interrupted start left them incomplete', async (t) => {
    for (const name of FILES)
      for (const half of ['', '\n', 'c2hvcnQ']) {
        const directory = aDirectory(t);
        writeFileSync(join(directory, name), half, { mode: 0o600 });
        await assert.rejects(start(t, directory), ({ message }: Error) => {
          const variable = name.replace('-', '_').toUpperCase();
          assert.equal(
            message,
            `${join(directory, name)} is incomplete. Restore it from a backup, or set ${variable}. If this node has never run before, delete the file.`,
          );
          return true;
        });
        assert.equal(readFileSync(join(directory, name), 'utf8'), half, 'nothing replaces it: it may have been another one');
      }
  });

  it('are ignored if the configuration sets other secrets', (t) => {
    const directory = aDirectory(t);
    for (const name of FILES) writeFileSync(join(directory, name), '');
    const given = { ADMIN_SECRET: 'a'.repeat(16), JWT_SECRET: 'j'.repeat(32) };
    const { admin, jwt } = secretsFor(configIn(directory, given));
    assert.deepEqual([admin, jwt], [given.ADMIN_SECRET, given.JWT_SECRET]);
  });

  it('are the same for processes that start in one folder at the same time', { timeout: 600_000 }, async (t) => {
    const directories = Array.from({ length: 100 }, () => aDirectory(t));
    const starters = Array.from({ length: 3 }, () => new Worker(STARTER, { eval: true, workerData: { directories, gate } }));
    const found = await Promise.all(starters.map(async (starter) => (await once(starter, 'message'))[0] as readonly string[]));
    for (const [nth, directory] of directories.entries()) {
      const kept = readFileSync(join(directory, 'jwt-secret'), 'utf8').trim();
      assert.deepEqual(new Set(found.map((secrets) => secrets[nth])), new Set([kept]));
      assert.deepEqual(readdirSync(directory).sort(), FILES);
    }
  });
});

/** How many have come to a folder: all go on together. */
const gate = new Int32Array(new SharedArrayBuffer(4));

const STARTER = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(${JSON.stringify(join(import.meta.dirname, '../../../scripts/wiring/secrets.ts'))}).then(({ secretsFor }) => {
    const given = { admin_secret: null, jwt_secret: null, secrets_key: null, secrets_keys_before: [], audit_key: null };
    const found = workerData.directories.map((data_dir, nth) => {
      Atomics.add(workerData.gate, 0, 1);
      while (Atomics.load(workerData.gate, 0) < 3 * (nth + 1)) {}
      return secretsFor({ ...given, data_dir }).jwt;
    });
    parentPort.postMessage(found);
  });
`;

it('a rejected secret is never printed', () => {
  const secret = 'hunter2/of-the-operator';
  const wrong = {
    ADMIN_SECRET: 'hunter2/',
    OPERATORS: `dewi=${secret},budi:${secret}`,
    JWT_SECRET: secret,
    SECRETS_KEY: secret,
    SECRETS_KEYS_BEFORE: `${'a'.repeat(64)},${secret}`,
    AUDIT_KEY: secret,
    MONGODB_URL: `mongo://gateway:${secret}@db`,
    REDIS_URL: `http://:${secret}@redis`,
    AI_KEY: 'hunter2/'.repeat(100),
    CATALOG_GRAPHQL_TOKEN: 'hunter2',
    STRIPE_SECRET_KEY: 'hunter2',
  };
  for (const [name, value] of Object.entries(wrong))
    assert.throws(
      () => configIn('/nowhere', { [name]: value }),
      ({ message }: Error) => message.includes(name) && !message.includes('hunter2'),
      name,
    );
});

it('an empty operator header is rejected even if the configured secret is empty', () => {
  for (const secret of ['', 'a-secret-of-the-operator']) {
    const auth = createAdminAuth(secret);
    assert.throws(
      () => auth.enter('', '127.0.0.1', 0),
      (cause) => cause instanceof Refusal && cause.code === 'UNAUTHORIZED',
    );
  }
});
