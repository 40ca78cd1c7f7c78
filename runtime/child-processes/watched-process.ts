import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { type Cancel, forAtMost, systemClock } from '../clock.ts';
import { runtimeRefusal } from '../errors.ts';
import { type Confinement, confined, type Host } from './confine.ts';
import { inheritedDescriptors } from './descriptors.ts';
import { sizeOf } from './job-folders.ts';
import { useOf } from './process-tree.ts';

/** `stopped`: the gateway killed the process. `unwatched`: its resource usage could no longer be read. */
export type Failure = 'time' | 'memory' | 'output' | 'crash' | 'stopped' | 'unwatched';

export class ChildEnded extends Error {
  override readonly name = 'ChildEnded';
  readonly failure: Failure;

  constructor(failure: Failure, said = '') {
    super(`a child process was ended: ${failure}${said && `: ${said}`}`);
    this.failure = failure;
  }
}

export interface ProcessOptions extends Confinement {
  readonly folder: string;
  /** `messages` adds a pipe as descriptor 3. `output` collects standard output. */
  readonly speaks: 'messages' | 'output';
}

export interface End {
  readonly failure: Failure | null;
  readonly code: number | null;
  readonly said: string;
  readonly output: Buffer;
}

const LOOKED_EVERY_MS = 100;
const MB = 1_048_576;
const MAX_SAID = MB;
const SAID_KEPT = 4_096;
const MAX_PROCESSES = 64;
const MAX_ENTRIES = 200;
const MAX_BLIND = 20;
/** Maximum wait in ms for streams that descendants keep open. */
const DRAINED_MS = 1_000;

export const cannotStart = (cause: unknown): Error => runtimeRefusal('OVERLOADED', { retryAfterMs: 5_000 }, { cause });

/** A program in its own process group. It is killed with its descendants if it exceeds its limits. */
export class WatchedProcess {
  readonly #child: ChildProcess;
  readonly #host: Host;
  readonly #options: ProcessOptions;
  readonly #exited = Promise.withResolvers<End>();
  readonly #output: Buffer[] = [];
  readonly #startedAt = systemClock.monotonic();
  #said = '';
  #saidBytes = 0;
  #outputBytes = 0;
  #failure: Failure | null = null;
  #hasExited = false;
  #blind = 0;
  #cpuMs = 0;
  #memoryBytes = 0;
  #lookedAt = systemClock.monotonic();
  #stopLooking: Cancel = () => {};

  static async start(host: Host, options: ProcessOptions): Promise<WatchedProcess> {
    const covers = inheritedDescriptors();
    let nothing: number | null = null;
    try {
      nothing = covers.length > 0 ? openSync('/dev/null', 'r+') : null;
      const [file, ...args] = confined(host, options);
      const stdio = stdioOf(options, covers, nothing);
      const child = spawn(file, args, { cwd: options.folder, env: {}, stdio, detached: true });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      child.once('spawn', resolve).on('error', reject);
      await promise;
      return new WatchedProcess(child, host, options);
    } catch (cause) {
      throw cannotStart(cause);
    } finally {
      if (nothing !== null) closeSync(nothing);
    }
  }

  private constructor(child: ChildProcess, host: Host, options: ProcessOptions) {
    this.#child = child;
    this.#host = host;
    this.#options = options;
    child.once('exit', (code, signal) => void this.#exit(code, signal));
    for (const stream of child.stdio) stream?.on('error', () => {});
    child.stderr?.on('data', (bytes: Buffer) => this.#says(bytes));
    child.stdout?.on('data', (bytes: Buffer) => this.#gives(bytes));
    this.#look();
  }

  get input(): Writable | null {
    return this.#child.stdin;
  }

  get messages(): Readable | null {
    const pipe = this.#child.stdio[3];
    return pipe instanceof Readable ? pipe : null;
  }

  within(ms: number): Promise<End> {
    const stop = systemClock.after(ms, () => this.kill('time'));
    return this.ended.finally(stop);
  }

  get ended(): Promise<End> {
    return this.#exited.promise;
  }

  get hasEnded(): boolean {
    return this.#hasExited;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** If the CPU time cannot be read, returns the elapsed time as an upper bound. */
  cpuMs(): number {
    if (!this.#hasExited) this.#readUse();
    return this.#cpuMs;
  }

  kill(failure: Failure): void {
    this.#failure ??= failure;
    this.#killGroup();
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {}
  }

  #look(): void {
    this.#stopLooking = systemClock.after(LOOKED_EVERY_MS, () => {
      if (this.#hasExited) return;
      const wanted = this.#tooMuch();
      if (wanted) this.kill(wanted);
      else this.#look();
    });
  }

  #tooMuch(): Failure | null {
    const { limits, folder } = this.#options;
    const use = this.#readUse();
    const { bytes, entries } = sizeOf(folder, MAX_ENTRIES);
    if (bytes > limits.fileMb * MB || entries > MAX_ENTRIES) return 'output';
    if (this.#cpuMs > limits.cpuSeconds * 1_000) return 'time';
    if (use === null) return this.#host.proc && this.#blind > MAX_BLIND ? 'unwatched' : null;
    return use.memoryBytes > limits.memoryMb * MB || use.processes > MAX_PROCESSES ? 'memory' : null;
  }

  #readUse() {
    const { pid = 0 } = this.#child;
    const use = this.#host.proc ? useOf(pid) : null;
    const now = systemClock.monotonic();
    if (use) {
      this.#blind = 0;
      this.#cpuMs = Math.max(this.#cpuMs, use.cpuMs);
      this.#memoryBytes = Math.max(this.#memoryBytes, use.memoryBytes);
      this.#lookedAt = now;
    } else {
      this.#blind += 1;
      this.#countTime(now);
    }
    return use;
  }

  #countTime(now: number): void {
    this.#cpuMs += now - this.#lookedAt;
    this.#lookedAt = now;
  }

  #says(bytes: Buffer): void {
    this.#saidBytes += bytes.length;
    if (this.#said.length < SAID_KEPT) this.#said = (this.#said + bytes.toString('latin1')).slice(0, SAID_KEPT);
    if (this.#saidBytes > MAX_SAID) this.kill('output');
  }

  #gives(bytes: Buffer): void {
    this.#outputBytes += bytes.length;
    if (this.#outputBytes > MAX_SAID) this.kill('output');
    else this.#output.push(bytes);
  }

  async #exit(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    this.#hasExited = true;
    this.#stopLooking();
    this.#killGroup();
    this.#countTime(systemClock.monotonic());
    const closed = once(this.#child, 'close');
    const isOpen = this.#child.stdio.some((stream) => stream && !stream.closed);
    if (isOpen) await forAtMost(systemClock, DRAINED_MS, closed);
    for (const stream of this.#child.stdio) stream?.destroy();
    const failure = this.#failure ?? this.#failureOf(code, signal);
    this.#exited.resolve({ failure, code, said: this.#said, output: Buffer.concat(this.#output) });
  }

  #failureOf(code: number | null, signal: NodeJS.Signals | null): Failure | null {
    if (code === 0) return null;
    const { SIGXCPU, SIGKILL, SIGXFSZ, SIGABRT, SIGTRAP, SIGILL } = constants.signals;
    // A shell and `unshare` report a signal of their child as exit code 128 + signal.
    const number = signal === null ? (code ?? 0) - 128 : constants.signals[signal];
    if (number === SIGXCPU || (number === SIGKILL && this.#cpuMs >= this.#options.limits.cpuSeconds * 1_000)) return 'time';
    if (number === SIGXFSZ) return 'output';
    // The engine or the kernel kills a process with these signals when memory runs out.
    return [SIGABRT, SIGTRAP, SIGILL, SIGKILL].some((one) => one === number) ? 'memory' : 'crash';
  }

  get age(): number {
    return systemClock.monotonic() - this.#startedAt;
  }
}

function stdioOf({ speaks }: ProcessOptions, covers: readonly number[], nothing: number | null): StdioOptions {
  const own = ['pipe', speaks === 'output' ? 'pipe' : 'ignore', 'pipe', ...(speaks === 'messages' ? (['pipe'] as const) : [])] as const;
  const most = Math.max(own.length - 1, ...covers);
  return Array.from({ length: most + 1 }, (_, descriptor) => own[descriptor] ?? (covers.includes(descriptor) ? nothing : 'ignore'));
}
