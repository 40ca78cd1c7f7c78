import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { it } from 'node:test';
import { pino } from 'pino';
import { pause, systemClock } from '../../runtime/clock.ts';
import { linesFor } from '../../scripts/wiring/greeting.ts';
import { misspelled } from '../../scripts/wiring/known-variables.ts';
import { readable } from '../../scripts/wiring/log-lines.ts';
import { startSandbox } from '../../scripts/wiring/sandbox.ts';
import { aDirectory } from '../support/stores.ts';

const RUN = resolve(import.meta.dirname, '../../scripts/commands/run.js');
const COMMANDS = Object.entries<string>(JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')).scripts);
const OLD_NODE = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})`;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}, nodeArgs: readonly string[] = []): Promise<Outcome> {
  return new Promise((done) => {
    const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, cwd: import.meta.dirname, timeout: 120_000 };
    execFile(process.execPath, [...nodeArgs, RUN, ...args], options, (cause, out, err) =>
      done({ code: cause ? Number(cause.code ?? 1) : 0, out, err }),
    );
  });
}

it('every command can print its help without side effects', async () => {
  for (const [name, text] of COMMANDS) {
    const options = name === 'start' ? '--max-semi-space-size=6 ' : '';
    // npm runs it at the end of npm ci.
    if (name === 'prepare') {
      assert.equal(text, 'npm run build');
      continue;
    }
    assert.equal(text, `node ${options}scripts/commands/run.js ${name}`);
    const { code, out, err } = await run([name, '--help'], { MONGODB_URL: 'mongodb://127.0.0.1:1', DATA_DIR: '/proc/nope' });
    assert.deepEqual([code, err], [0, ''], name);
    assert.ok(out.includes(`npm run ${name}`), out);
  }
});

it('an outdated Node version is reported in one sentence', async () => {
  const { code, out, err } = await run(['start'], {}, ['--import', OLD_NODE]);
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /^The gateway needs Node 24 or later, and this is 20\.1\.0[^\n]*\n$/);
});

it('the gateway exits with one sentence if DATA_DIR cannot be created', async () => {
  for (const directory of ['/proc/nope/deeper', '/dev/null/x']) {
    const { code, err } = await run(['start'], { DATA_DIR: directory, PORT: '0' });
    assert.equal(code, 1);
    assert.match(err, new RegExp(`^DATA_DIR ${directory} cannot be created: [^\n]*\n$`));
  }
});

it('the error for a port in use names the setting to change', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  for (const variable of ['PORT', 'METRICS_PORT']) {
    const { code, err } = await run(['start'], { PORT: '0', [variable]: String(port), DATA_DIR: aDirectory(t) });
    assert.deepEqual(
      [code, err],
      [1, `Port ${port} of 127.0.0.1 is already in use. Set ${variable} to another port, or stop the process that listens there.\n`],
    );
  }
});

it('the gateway reports that it stops on Ctrl-C, and suggests the right name for a misspelled variable', async (t) => {
  const env = { PATH: process.env['PATH'] ?? '', PORT: '0', MONGO_URL: 'mongodb://127.0.0.1:1', DATA_DIR: aDirectory(t) };
  const child = spawn(process.execPath, [RUN, 'start'], { env, cwd: import.meta.dirname });
  t.after(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stderr.on('data', (text) => {
    err += text;
  });
  for await (const text of child.stdout) {
    out += text;
    if (out.includes('listens on')) break;
  }
  // Off a terminal nothing but the log is written there: each line is JSON, and says where the node listens.
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { url, docs } = lines.find(({ event }) => event === 'node.listening');
  assert.equal(docs, `${url}/docs`);
  const page = await fetch(url, { headers: { accept: 'text/html,*/*;q=0.8' } });
  assert.deepEqual([page.status, page.url, page.headers.get('content-type')?.split(';')[0]], [200, `${url}/console/`, 'text/html']);
  assert.match(await (await fetch(url)).text(), /"docs":"\/docs"/, 'programs read the links');
  const exited = once(child, 'close');
  child.kill('SIGINT');
  assert.deepEqual(await exited, [0, null]);
  assert.match(err, /MONGO_URL is not read: did you mean MONGODB_URL\?\n/);
  assert.match(err, /The gateway has stopped\.\n$/);
});

it('sign-up works once /ready returns 200, and before that /ready explains what is missing', async (t) => {
  const dead = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(dead, 'listening');
  t.after(() => dead.close());
  const { port } = dead.address() as AddressInfo;
  const env = { PATH: process.env['PATH'] ?? '', PORT: '0', SANDBOX_URL: `http://127.0.0.1:${port}`, DATA_DIR: aDirectory(t) };
  const child = spawn(process.execPath, [RUN, 'start'], { env, cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => child.kill('SIGKILL'));
  let url = '';
  for await (const text of child.stdout) {
    url ||= /http:\/\/127\.0\.0\.1:\d+|http:\/\/localhost:\d+/.exec(String(text))?.[0] ?? '';
    if (url) break;
  }
  const ready = async () => {
    const answer = await fetch(`${url}/ready`);
    return `${answer.status} ${await answer.text()}`;
  };
  const signUp = () =>
    fetch(`${url}/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Acme', phone: '+6281100009999' }),
    });
  assert.match(await ready(), /^503 .*"sender":"failing"/);
  assert.equal((await signUp()).status, 503);
  assert.equal((await fetch(`${url}/health`)).status, 200);

  dead.close();
  await once(dead, 'close');
  const sandbox = await startSandbox({ port, clock: systemClock, log: pino({ level: 'silent' }) });
  t.after(() => sandbox.stop({ timeoutMs: 1_000 }));
  while (!(await ready()).startsWith('200')) await pause(systemClock, 100);
  assert.equal((await signUp()).status, 200);
  child.kill('SIGKILL');
  await once(child, 'close');
});

it('the error for an invalid setting names it in one sentence, without its value', async () => {
  const said = async (env: Readonly<Record<string, string>>) => (await run(['start'], { PORT: '0', ...env })).err;
  assert.match(
    await said({ ADMIN_SECRET: 'sesame' }),
    /^The configuration is not valid: admin_secret must have at least 16 characters \(from/,
  );
  assert.match(await said({ PORT: '70000' }), /port must be a number from 0 to 65535/);
  assert.match(await said({ MONGODB_URL: 'localhost' }), /mongodb_url must be a complete address, including its scheme/);
});

it('the gateway suggests the tour command with its own address', () => {
  const shown = (address: string) => linesFor(address, null, true).join('\n');
  assert.match(shown('http://127.0.0.1:8080'), /try next {4}npm run tour/);
  assert.match(shown('http://127.0.0.1:9123'), /try next {4}GATEWAY_URL=http:\/\/127\.0\.0\.1:9123 npm run tour/);
});

it('a misspelled variable gets only suggestions of similar names', () => {
  const known = ['MONGODB_URL', 'HOST', 'PORT', 'NODE_ID', 'LOG_LEVEL', 'DATA_DIR'];
  const meant = (...names: string[]): string[] =>
    misspelled(Object.fromEntries(names.map((name) => [name, 'x'])), known).map((text) => text.split(' ').at(-1)!);
  assert.deepEqual(meant('MONGO_URL', 'MONGODB_URI', 'LOGLEVEL', 'POORT', 'PROT', 'DATADIR'), [
    'MONGODB_URL?',
    'MONGODB_URL?',
    'LOG_LEVEL?',
    'PORT?',
    'PORT?',
    'DATA_DIR?',
  ]);
  assert.deepEqual(meant('HOME', 'NODE_ENV', 'PATH', 'HOSTNAME', 'PWD', ...known), []);
});

it('log lines on a terminal are readable, and are followed by the cause of an error', () => {
  const line = {
    level: 40,
    time: 0,
    node: 'vm',
    msg: 'the disk is full',
    free: 0,
    path: '/data',
    err: { message: 'no', stack: 'Error: no\n    at x' },
  };
  assert.match(
    readable(`${JSON.stringify(line)}\nnot JSON\n`),
    /^\d\d:\d\d:\d\d WARN {2}the disk is full {2}free=0 {2}path=\/data {2}\n {2}Error: no\n {4}at x\nnot JSON\n$/,
  );
});
