import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Child, inTime, kept } from '../chaos/child.ts';
import { type Call, callerOf } from '../faults/caller.ts';

const SCRIPT = fileURLToPath(new URL('node.ts', import.meta.url));

export class DemoNode {
  readonly id: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: Child | null = null;
  #url = '';

  constructor(id: string, env: Readonly<Record<string, string>>) {
    this.id = id;
    this.#env = env;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  get url(): string {
    return this.#url;
  }

  async start(): Promise<void> {
    const child = fork(SCRIPT, {
      execArgv: [],
      env: { ...process.env, ...this.#env, NODE_ID: this.id, HOST: '127.0.0.1', PORT: '0' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Detached, so that Ctrl-C reaches only the demonstration, which then stops its nodes itself.
      detached: true,
    });
    const own = kept(child);
    this.#url = await inTime(this.id, listening(child, own, this.id));
    this.#child = own;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    await child?.kill();
  }

  caller(headers: Readonly<Record<string, string>>): Call {
    return callerOf(this.#url, headers);
  }
}

async function listening(child: ChildProcess, own: Child, id: string): Promise<string> {
  const told = once(child, 'message').then(([{ url }]) => String(url));
  const ended = own.ended.then((): never => {
    throw new Error(`${id} ended before it listened.`);
  });
  return Promise.race([told, ended]);
}
