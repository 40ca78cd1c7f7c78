import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { startSandboxProcess } from '../../faults/processes.ts';
import { scratchDirectory } from '../scratch.ts';

/** Prints the startup CPU time in ms and the idle memory in MB, of `imports` or of a `gateway`. */
const [what, size] = process.argv.slice(2);
const isQuick = size === 'quick';
const IDLE_MS = isQuick ? 0 : 5_000;
const POLL_MS = 20;
const TICK_MS = 10;

const directory = scratchDirectory();
const cache = join(directory, 'compiled');
// Starts twice: the first start fills the compile cache, and the second one is measured.
if (!isQuick) await (what === 'imports' ? imports() : gateway());
const figures = await (what === 'imports' ? imports() : gateway());
console.log(JSON.stringify(figures));
process.exit(0);

interface Figures {
  readonly cpuMs: number;
  readonly rssMb: number;
}

async function imports(): Promise<Figures> {
  const script = fileURLToPath(new URL('./imports.js', import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout) said += chunk;
  return JSON.parse(said);
}

async function gateway(): Promise<Figures> {
  const network = await startSandboxProcess();
  const port = await freePort();
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: cache,
    MONGODB_URL: '',
    REDIS_URL: '',
    SANDBOX_URL: network.url,
    PORT: String(port),
    DATA_DIR: join(directory, 'data'),
  };
  const run = fileURLToPath(new URL('../../commands/run.js', import.meta.url));
  const child = spawn(process.execPath, ['--max-semi-space-size=6', run, 'start'], { env, stdio: 'ignore' });
  while (!(await isReady(port))) await pause(systemClock, POLL_MS);
  const cpuMs = cpuOf(child.pid);
  await pause(systemClock, IDLE_MS);
  const rssMb = rssOf(child.pid);
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  await network.kill();
  return { cpuMs, rssMb };
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/**
 * Adds user and system time, which are fields 14 and 15 of the file. The name in parentheses is
 * field 2.
 */
function cpuOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function rssOf(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = addressOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
