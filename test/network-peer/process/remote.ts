import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Refusal } from '../../../runtime/errors.ts';
import type { Commands } from './commands.ts';

type Remote = {
  readonly [Name in keyof Commands]: (...given: Parameters<Commands[Name]>) => Promise<Awaited<ReturnType<Commands[Name]>>>;
};

/** A peer in another process. */
export interface RemotePeer extends Remote {
  readonly control: string;
  readonly url: string;
  readonly rootKey: string;
  readonly certificate: string;
  stop(): Promise<void>;
}

interface Greeting {
  readonly control: string;
  readonly url: string;
  readonly rootKey: string;
  readonly certificate: string;
}

const NAMES = [
  ...['about', 'scan', 'type', 'write', 'is', 'shows', 'told', 'waiting', 'unlink', 'group'],
  ...['fault', 'lift', 'cut', 'end', 'ban', 'restart', 'events', 'ledger', 'cost'],
] as readonly (keyof Commands)[];

/** Starts a peer in a separate process, which exits on `stop` or when this process does. */
export async function spawnPeer(args: readonly string[] = []): Promise<RemotePeer> {
  const main = join(import.meta.dirname, '..', 'serve.ts');
  const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const lines = createInterface(child.stdout);
  const line = await new Promise<string>((greeted, failed) => {
    lines.once('line', greeted);
    child.once('exit', (code) => failed(new Error(`the peer ended with ${code}`)));
  });
  const greeting = JSON.parse(line) as Greeting;
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  return { ...greeting, ...remoteOf(greeting.control), stop };
}

/** Returns the commands of the peer with this control port. */
function remoteOf(control: string): Remote {
  return Object.fromEntries(NAMES.map((name) => [name, (...given: readonly unknown[]) => ask(control, name, given)])) as Remote;
}

async function ask(control: string, name: string, given: readonly unknown[]): Promise<unknown> {
  const response = await fetch(`${control}/${name}`, { method: 'POST', body: JSON.stringify(given) });
  const { said, refused, failed } = (await response.json()) as { said?: unknown; refused?: string; failed?: string };
  if (refused !== undefined) throw new Refusal(refused);
  if (failed !== undefined) throw new Error(failed);
  return said ?? undefined;
}
