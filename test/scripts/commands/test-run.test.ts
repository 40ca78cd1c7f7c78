import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { aDirectory } from '../../support/stores.ts';

const LOSES = `
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
it('loses a rejection', async () => {
  await setImmediate();
  Promise.reject(new Error('lost'));
  await setImmediate();
});`;

const FAILS = `
import { it } from 'node:test';
it('is wrong', () => {
  throw new Error('wrong');
});`;
const STAYS = `
import { it } from 'node:test';
it('leaves something open', () => void setInterval(() => {}, 1_000));`;
const PASSES = `
import { after, it } from 'node:test';
after(() => console.log('over'));
it('is right', () => console.log('begun'));`;

const here = (path: string): string => join(import.meta.dirname, '../../support', path);
// In a run of its own.
const { NODE_TEST_CONTEXT: _own, TEST_COSTS: _costs, ...env } = process.env;

function written(t: TestContext, name: string, text: string): string {
  const file = join(aDirectory(t), name);
  writeFileSync(file, text);
  return file;
}

it('a test file with an unhandled rejection fails, and its location is printed', (t) => {
  const file = written(t, 'loses.test.mjs', LOSES);
  const preload = `--import=${here('untracked-promises.ts')}`;
  const { status, stdout } = spawnSync(process.execPath, [preload, '--test', '--test-reporter=spec', file], { env, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stdout, /nobody handled a rejection: Error: lost\s+at .*loses\.test\.mjs:6/);
});

/** A process of several test files. */
function together(files: readonly string[], more: NodeJS.ProcessEnv = {}): { readonly status: number | null; readonly said: string } {
  const args = ['--test', '--test-reporter=spec', here('together.ts')];
  const { status, stdout } = spawnSync(process.execPath, args, {
    env: { ...env, ...more, TEST_FILES: files.join(' ') },
    encoding: 'utf8',
  });
  return { status, said: stdout };
}

it('each file of a shared test process is reported separately', (t) => {
  const [right, wrong] = [written(t, 'right.test.mjs', PASSES), written(t, 'wrong.test.mjs', FAILS)];
  const { status, said } = together([right, wrong]);
  assert.equal(status, 1);
  assert.ok(said.indexOf('over') < said.indexOf(`▶ ${wrong}`), said);
  assert.match(said, /✔ \S+right\.test\.mjs \(/);
  assert.match(said, /✖ \S+wrong\.test\.mjs \(/);
  assert.match(said, /test at \S*wrong\.test\.mjs:3:1/);
});

/** Makes an id of this year, which has to be of it. */
const idOf = (year: number): string => `
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeTime } from ${JSON.stringify(import.meta.resolve('ulid'))};
import { newId } from ${JSON.stringify(import.meta.resolve('../../../runtime/ids.ts'))};
it('makes an id', () => assert.equal(decodeTime(newId(Date.UTC(${year}, 0, 1))), Date.UTC(${year}, 0, 1)));`;

it('a test file can generate older ids than the file that ran before it in the same process', (t) => {
  const files = [2030, 2026].map((year) => written(t, `${year}.test.mjs`, idOf(year)));
  const { status, said } = together(files);
  assert.equal(status, 0, said);
});

it('a test process with open handles fails, exits, and reports them', (t) => {
  const { status, said } = together([written(t, 'stays.test.mjs', STAYS)], { TEST_ENDS_WITHIN_MS: '10' });
  assert.equal(status, 1);
  assert.match(said, /something was left open in one of these files: .*Timeout/);
});
