import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../runtime/clock.ts';

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** On a machine that is busy with more than this, too. */
const STARTED_WITHIN_MS = 300_000;

/** Every child that may still run: none outlives its parent, however that ends. */
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface Child {
  /** The signal that ended it; null: it left by itself. */
  readonly ended: Promise<NodeJS.Signals | null>;
  kill(): Promise<unknown>;
}

export interface Gateway extends Child {
  /** Rejects when it ended before it listened. */
  readonly url: Promise<string>;
  /** Resolves when it says that it has nothing more to do (`done`); some never say so. */
  readonly done: Promise<void>;
  /** Resolves when it says `word` to its parent from now on. */
  says(word: string): Promise<void>;
  /** Arms its failpoint: `point:n`. */
  arm(order: string): void;
}

/** What a gateway to be killed says when its failpoint is taken away: from then on it lives. */
export const DISARMED = 'disarmed';

/** The sandbox network in a process of its own, on any free port. */
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
  /** It has so long, also where it waits for its turn. */
  readonly withinMs?: number;
  /** Options of Node. */
  readonly execArgv?: readonly string[];
}

/** A gateway to be killed, of those in scripts/victims/victims.ts. */
export function startVictim(name: string, env: Readonly<Record<string, string>>, options: VictimOptions = {}): Gateway {
  return forkGateway(script('../victims/start.js'), [name], env, options);
}

/** A gateway in a process of its own: a script that tells its parent `{url}` when it listens. */
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

/** `dies`: it may kill itself; any other end that is not ours is told. */
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

/** Rejects when `work` takes longer. */
function inTime<T>(who: string, work: Promise<T>, withinMs = STARTED_WITHIN_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(withinMs, () => reject(new Error(`${who} did not start in time`)));
    work.finally(cancel).then(resolve, reject);
  });
}

const EVERY_MS = 20;

/** Asks again and again until `check` gives something truthy, which is the answer; null when `withinMs` have passed. */
export async function until<T>(withinMs: number, check: () => Promise<T>): Promise<NonNullable<T> | null> {
  const endsAt = systemClock.monotonic() + withinMs;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (systemClock.monotonic() > endsAt) return null;
    await pause(systemClock, EVERY_MS);
  }
}
