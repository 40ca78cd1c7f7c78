import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../runtime/clock.ts';

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Allows for a machine that is busy with other work. */
const STARTED_WITHIN_MS = 300_000;

/** Children that may still be running. All are killed when the parent exits for any reason. */
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface Child {
  /** The signal that ended the process; null if it exited by itself. */
  readonly ended: Promise<NodeJS.Signals | null>;
  kill(): Promise<unknown>;
}

export interface Gateway extends Child {
  /** Rejects if the gateway exits before it is listening. */
  readonly url: Promise<string>;
  /** Resolves when the gateway reports that its work is complete (`done`), which some gateways never do. */
  readonly done: Promise<void>;
  says(word: string): Promise<void>;
  arm(order: string): void;
}

/** Message from a gateway that its failpoint was disarmed, so that it survives from then on. */
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
  /** Maximum time until the gateway is listening, in ms, including its wait for `go`. */
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

/** `dies`: whether the child may kill itself. Any other exit that this process did not cause is reported. */
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

/** Polls `check` until it returns a truthy value, and returns that; null after `withinMs`. */
export async function until<T>(withinMs: number, check: () => Promise<T>): Promise<NonNullable<T> | null> {
  const endsAt = systemClock.monotonic() + withinMs;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (systemClock.monotonic() > endsAt) return null;
    await pause(systemClock, EVERY_MS);
  }
}
