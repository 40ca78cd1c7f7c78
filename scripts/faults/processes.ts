import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../runtime/clock.ts';

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Long, because the machine may be busy with other work. */
const STARTED_WITHIN_MS = 300_000;

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface Child {
  readonly ended: Promise<NodeJS.Signals | null>;
  kill(): Promise<unknown>;
}

export interface Gateway extends Child {
  /** Rejects if the gateway exits before it is listening. */
  readonly url: Promise<string>;
  /** Resolves when the gateway sends `done`, which some gateways never do. */
  readonly done: Promise<void>;
  says(word: string): Promise<void>;
  arm(order: string): void;
}

export const DISARMED = 'disarmed';

export async function startSandboxProcess(): Promise<Child & { readonly url: string }> {
  const process_ = spawn(process.execPath, [script('../commands/sandbox.ts')], {
    env: { ...process.env, SANDBOX_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const child = kept(process_, { dies: false });
  const [said] = await inTime('the sandbox', Promise.race([once(process_.stdout, 'data'), child.ended.then(() => [''])]));
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(said))?.[0];
  if (!url) throw new Error('the sandbox did not start');
  return { ...child, url };
}

interface VictimOptions {
  /** Time limit for the start, including the time in which the gateway waits for `go`. */
  readonly withinMs?: number;
  readonly execArgv?: readonly string[];
}

export function startVictim(name: string, env: Readonly<Record<string, string>>, options: VictimOptions = {}): Gateway {
  return forkGateway(script('../victims/start.js'), [name], env, options);
}

export function forkGateway(
  path: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  { withinMs = STARTED_WITHIN_MS, execArgv = [] }: VictimOptions = {},
): Gateway {
  const victim = fork(path, words, {
    execArgv: [...execArgv],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const child = kept(victim, { dies: true });
  const told = once(victim, 'message').then(([{ url }]) => String(url));
  const says = (word: string): Promise<void> =>
    new Promise((resolve) => {
      const heard = (message: unknown): void => {
        if (message !== word) return;
        victim.off('message', heard);
        resolve();
      };
      victim.on('message', heard);
    });
  const gone = child.ended.then((signal): never => {
    throw new Error(`the gateway ended before it listened (${signal ?? 'by itself'})`);
  });
  const url = inTime('the gateway', Promise.race([told, gone]), withinMs);
  url.catch(() => {});
  return { ...child, url, done: says('done'), says, arm: (order) => void victim.send(order, () => {}) };
}

/** `dies` is true if the child may kill itself. All other unexpected exits are reported. */
function kept(child: ChildProcess, { dies }: { readonly dies: boolean }): Child {
  children.add(child);
  let isOurs = false;
  const ended = once(child, 'exit').then(([code, signal]): NodeJS.Signals | null => {
    children.delete(child);
    if (!isOurs && !(dies && signal === 'SIGKILL')) process.stderr.write(`process ${child.pid} ended by itself (${signal ?? code})\n`);
    return signal;
  });
  return {
    ended,
    kill() {
      isOurs = true;
      child.kill('SIGKILL');
      return ended;
    },
  };
}

function inTime<T>(who: string, work: Promise<T>, withinMs = STARTED_WITHIN_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(withinMs, () => reject(new Error(`${who} did not start in time`)));
    work.finally(cancel).then(resolve, reject);
  });
}

const EVERY_MS = 20;

/** Returns the first truthy result of `check`, or null after `withinMs`. */
export async function until<T>(withinMs: number, check: () => Promise<T>): Promise<NonNullable<T> | null> {
  const endsAt = systemClock.monotonic() + withinMs;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (systemClock.monotonic() > endsAt) return null;
    await pause(systemClock, EVERY_MS);
  }
}
