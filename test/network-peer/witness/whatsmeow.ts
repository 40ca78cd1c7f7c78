import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Peer } from '../peer.ts';

/** Constants in the program that refer to the network. Each occurs once, and its replacement has the same length. */
const ADDRESS = 'wss://web.whatsapp.com/ws/chat';
const ROOT_KEY = '142375574d0a587166aae71ebe516437c4a28b73e3695c6ce1f7f9545da8ee6b';
const PATIENCE_MS = 60_000;
/** Message parts that accompany a group message and are not reported separately. */
const BESIDE = new Set(['senderKeyDistributionMessage', 'messageContextInfo']);

interface Line {
  readonly id?: string;
  readonly ok?: boolean;
  readonly data?: unknown;
  readonly error?: string;
  readonly event?: string;
}

export interface Said {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever another program says
  readonly data: any;
}

/** Returns the unmodified program; null if none exists for this platform. */
export function installed(): string | null {
  try {
    const from = createRequire(import.meta.resolve('witness/package.json'));
    return join(dirname(from.resolve(`@whatsmeow-node/${process.platform}-${process.arch}/package.json`)), 'bin/whatsmeow-node');
  } catch {
    return null;
  }
}

/**
 * Makes a copy of the program that connects to this peer and trusts its root, without other changes. Returns its path.
 */
export function copyFor(peer: Pick<Peer, 'url' | 'rootKey'>, program: string, directory: string): string {
  const path = join(directory, 'whatsmeow');
  const address = `${peer.url}/`.padEnd(ADDRESS.length, 'x');
  const bytes = readFileSync(program);
  replace(bytes, Buffer.from(ADDRESS), Buffer.from(address));
  replace(bytes, Buffer.from(ROOT_KEY, 'hex'), Buffer.from(peer.rootKey, 'hex'));
  writeFileSync(path, bytes);
  chmodSync(path, 0o755);
  return path;
}

function replace(bytes: Buffer, before: Buffer, after: Buffer): void {
  const at = bytes.indexOf(before);
  const isOnce = at >= 0 && bytes.indexOf(before, at + 1) < 0;
  if (!isOnce || before.length !== after.length) throw new Error('whatsmeow is not the program that this was written for');
  after.copy(bytes, at);
}

/** The Signal code also prints lines that are not JSON. They are kept with the output. */
function parsed(connection: string): Line {
  return connection.startsWith('{') ? JSON.parse(connection) : { event: 'printed', data: connection };
}

/** whatsmeow as a linked computer, controlled with JSON lines. */
export class Whatsmeow {
  readonly said: Said[] = [];
  readonly #parts: { readonly program: string; readonly directory: string; readonly certificate: string };
  readonly #answers = new Map<string, (connection: { ok: boolean; data?: unknown; error?: string }) => void>();
  readonly #waiters = new Set<() => void>();
  #process: ChildProcess | null = null;
  #asked = 0;

  constructor(parts: { readonly program: string; readonly directory: string; readonly certificate: string }) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { program, directory, certificate } = this.#parts;
    const child = spawn(program, [], {
      env: { SSL_CERT_FILE: certificate, TMPDIR: directory, HOME: directory },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#process = child;
    createInterface({ input: child.stdout! }).on('line', (connection) => this.#hear(parsed(connection)));
    await this.does('init', { store: `file:${join(directory, 'session.db')}` });
  }

  /** Kills the process and forgets its output so far. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    this.#answers.clear();
    this.said.length = 0;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await gone;
  }

  /** Runs one of its commands. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever another program answers
  does(cmd: string, args: object = {}): Promise<any> {
    this.#asked += 1;
    const id = String(this.#asked);
    return new Promise((done, failed) => {
      const timer = setTimeout(() => failed(new Error(`${cmd} was never answered`)), PATIENCE_MS);
      this.#answers.set(id, ({ ok, data, error }) => {
        clearTimeout(timer);
        if (ok) done(data);
        else failed(new Error(`${cmd}: ${error}`));
      });
      this.#process?.stdin?.write(`${JSON.stringify({ id, cmd, args })}\n`);
    });
  }

  /** Resolves with the first past or future event of this kind that matches. */
  hears(event: string, isIt: (data: Said['data']) => boolean = () => true): Promise<Said['data']> {
    return new Promise((done, failed) => {
      const look = (): void => {
        const found = this.said.find((one) => one.event === event && isIt(one.data));
        if (!found) return;
        clearTimeout(timer);
        this.#waiters.delete(look);
        done(found.data);
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(look);
        failed(new Error(`never heard of ${event}, only ${JSON.stringify(this.said)}`));
      }, PATIENCE_MS);
      this.#waiters.add(look);
      look();
    });
  }

  /** Resolves with the incoming message with this network id. */
  gets(netId: string): Promise<Said['data']> {
    return this.hears('message', ({ info, message }) => info.id === netId && Object.keys(message).some((part) => !BESIDE.has(part)));
  }

  async sends(jid: string, message: object): Promise<string> {
    return (await this.does('sendMessage', { jid, message })).id;
  }

  #hear(connection: Line): void {
    if (connection.event !== undefined) {
      this.said.push({ event: connection.event, data: connection.data });
      for (const look of [...this.#waiters]) look();
      return;
    }
    const answer = this.#answers.get(connection.id ?? '');
    this.#answers.delete(connection.id ?? '');
    answer?.({ ok: connection.ok === true, data: connection.data, ...(connection.error !== undefined && { error: connection.error }) });
  }
}
