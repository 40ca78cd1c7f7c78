/**
 * Finds out how far this host can confine child processes with util-linux programs and namespaces.
 *
 * Programs are taken only from the system folders, not from `PATH` or the working directory: a
 * writable folder must not decide which program runs. Containers and hardened hosts forbid
 * namespaces. Whether the programs work here is therefore tested once per process, with the command
 * line that children use.
 */

import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { codeOf } from '../errors.ts';
import { confined, type Host, type HostTools } from './confine.ts';

const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

export interface Isolation {
  /** `heap` relies on Node's heap limit. `watched` also checks the resident memory every 100 ms. */
  readonly memory: 'watched' | 'heap';
  /** Limited by the kernel (`prlimit`), by the gateway (`watched`), or only by wall time (`none`). */
  readonly cpu: 'prlimit' | 'watched' | 'none';
  readonly network: 'none' | 'open';
  /**
   * With `permissions`, only Node's permission model keeps our own jobs away from the node's data.
   */
  readonly files: 'hidden' | 'permissions';
}

export const isolationOf = ({ tools, namespaces, proc }: Host): Isolation => ({
  memory: proc ? 'watched' : 'heap',
  cpu: tools.prlimit ? 'prlimit' : proc ? 'watched' : 'none',
  network: namespaces === null ? 'open' : 'none',
  files: namespaces === null ? 'permissions' : 'hidden',
});

function findTools(): HostTools {
  const pathOf = (name: string): string | null => SYSTEM_FOLDERS.map((folder) => `${folder}/${name}`).find(isProgram) ?? null;
  return {
    unshare: pathOf('unshare'),
    setpriv: pathOf('setpriv'),
    choom: pathOf('choom'),
    prlimit: pathOf('prlimit'),
    mount: pathOf('mount'),
    sh: pathOf('sh'),
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const TRIED_FOR_MS = 10_000;
const TRIED_WITH = { wallMs: TRIED_FOR_MS, cpuSeconds: 10, memoryMb: 256, fileMb: 1 };

/** Rejects if no process can be started at the moment, because the result is then unknown. */
export async function examineHost(hidden: readonly string[], tools: HostTools = findTools()): Promise<Host> {
  const proc = existsSync('/proc/self/task') && existsSync(`/proc/self/task/${process.pid}/children`);
  const { unshare, setpriv, choom, prlimit, mount, sh } = tools;
  const none: HostTools = { unshare: null, setpriv: null, choom: null, prlimit: null, mount, sh };
  if (!sh) return { tools: none, namespaces: null, proc };
  const hosts: Host[] = [
    ...(unshare && setpriv && mount ? (['own-proc', 'no-proc'] as const).map((namespaces) => ({ tools, namespaces, proc })) : []),
    { tools: { ...tools, unshare: null }, namespaces: null, proc },
    ...(setpriv || choom ? [{ tools: { ...none, prlimit }, namespaces: null, proc }] : []),
  ];
  for (const host of hosts)
    if (await works(confined(host, { command: sh, args: ['-c', 'exit 0'], limits: TRIED_WITH, hidden }))) return host;
  return { tools: none, namespaces: null, proc };
}

function works([file, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const child = spawn(file, args, { stdio: 'ignore', env: {}, cwd: '/', detached: true });
  const stop = systemClock.after(TRIED_FOR_MS, () => child.kill('SIGKILL'));
  child.on('exit', (code) => resolve(code === 0));
  child.on('error', (cause) => (codeOf(cause) === 'EACCES' || codeOf(cause) === 'ENOENT' ? resolve(false) : reject(cause)));
  return promise.finally(stop);
}

let examined: Promise<Host> | null = null;

export function hostOnce(hidden: readonly string[]): Promise<Host> {
  examined ??= examineHost(hidden).catch((cause) => {
    examined = null;
    throw cause;
  });
  return examined;
}
