import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../clock.ts';
import { memberOf } from '../shapes.ts';
import type { Host } from './confine.ts';
import type { Job, JobFolder } from './job-folders.ts';
import { ChildEnded, cannotStart, WatchedProcess } from './watched-process.ts';

export interface NodeLimits {
  /** Wall time limit per job, in ms. */
  readonly wallMs: number;
  /** CPU time limit for all jobs of one process. */
  readonly cpuSeconds: number;
  readonly heapMb: number;
  /** Resident memory limit: heap, buffers and code. */
  readonly memoryMb: number;
  readonly resultMb: number;
}

export interface NodeProgram {
  readonly module: URL;
  readonly limits: NodeLimits;
  /** Whether the program loads native libraries, which Node's permission model does not restrict. */
  readonly addons?: boolean;
}

/**
 * Time limit for a child to become ready. A healthy child needs less than 100 ms, but the machine
 * may be busy.
 */
const READY_WITHIN_MS = 30_000;
/** Maximum size of a job's messages. They only report progress or the end, so this is ample. */
const MAX_MESSAGES_BYTES = 1_048_576;
/** Allowance for the input, which is in the same folder as the result. */
const INPUT_MB = 64;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Paths that a child may read: the program, but not its data and settings. */
const PROGRAM = ['runtime', 'store', 'actors', 'node_modules', 'package.json'];

type Listener = (message: unknown) => void;

/** A Node process that runs the jobs of one owner, one after another. */
export class NodeChild {
  readonly process: WatchedProcess;
  readonly #folder: JobFolder;
  readonly #limits: NodeLimits;
  #messagesBytes = 0;
  #listener: Listener | null = null;

  /** Starts a child; resolves when it is ready. Rejects with OVERLOADED if it cannot be started. */
  static async start(host: Host, program: NodeProgram, folder: JobFolder, hidden: readonly string[]): Promise<NodeChild> {
    const { cpuSeconds, memoryMb, resultMb, wallMs } = program.limits;
    const watched = await WatchedProcess.start(host, {
      command: process.execPath,
      args: argumentsOf(program, folder),
      limits: { cpuSeconds, memoryMb, wallMs, fileMb: resultMb + INPUT_MB },
      hidden,
      folder: folder.path,
      speaks: 'messages',
    });
    const child = new NodeChild(watched, folder, program.limits);
    try {
      await child.#until(READY_WITHIN_MS, (message, { resolve, reject }) =>
        memberOf(message, 'ready') === true ? resolve() : reject(new ChildEnded('crash')),
      );
      return child;
    } catch (cause) {
      // The child has not seen any input yet, so the input cannot be the cause.
      await child.end();
      throw cannotStart(cause);
    }
  }

  private constructor(watched: WatchedProcess, folder: JobFolder, limits: NodeLimits) {
    this.process = watched;
    this.#folder = folder;
    this.#limits = limits;
    if (watched.messages) this.#listen(watched.messages);
  }

  /** Runs a job. Rejects with ChildEnded; the child cannot be used after that. */
  do(job: Job, order: unknown, onProgress: (progress: number) => void): Promise<void> {
    this.#messagesBytes = 0;
    this.process.input?.write(`${JSON.stringify({ folder: job.name, order })}\n`);
    return this.#until(this.#limits.wallMs, (message, { resolve, reject }) => {
      const progress = memberOf(message, 'progress');
      if (typeof progress === 'number' && progress >= 0 && progress <= 1) onProgress(progress);
      else if (memberOf(message, 'done') === true) resolve();
      else reject(new ChildEnded('crash', String(memberOf(message, 'failed') ?? '')));
    });
  }

  async end(): Promise<void> {
    this.process.kill('stopped');
    await this.process.ended;
    await this.#folder.remove();
  }

  /** Waits until `listener` settles. Rejects with ChildEnded if the time is over or the process ends. */
  #until(withinMs: number, listener: (message: unknown, settle: PromiseWithResolvers<void>) => void): Promise<void> {
    const settle = Promise.withResolvers<void>();
    this.#listener = (message) => listener(message, settle);
    const stop = systemClock.after(withinMs, () => this.process.kill('time'));
    void this.process.ended.then(({ failure, said }) => settle.reject(new ChildEnded(failure ?? 'crash', said)));
    return settle.promise.finally(() => {
      stop();
      this.#listener = null;
    });
  }

  #listen(messages: Readable): void {
    messages.on('data', ({ length }: Buffer) => {
      this.#messagesBytes += length;
      if (this.#messagesBytes > MAX_MESSAGES_BYTES) this.process.kill('output');
    });
    createInterface({ input: messages }).on('line', (line) => this.#received(line));
  }

  /** Handles a message from the child. An unexpected message ends the child. */
  #received(line: string): void {
    if (!this.#listener) return this.process.kill('output');
    try {
      this.#listener(JSON.parse(line));
    } catch {
      this.process.kill('output');
    }
  }
}

function argumentsOf({ module, limits, addons = false }: NodeProgram, folder: JobFolder): string[] {
  return [
    '--permission',
    ...(addons ? ['--allow-addons'] : []),
    ...PROGRAM.map((name) => `--allow-fs-read=${placeOf(name)}`),
    `--allow-fs-read=${dirname(fileURLToPath(module))}`,
    // With `/*`, because the path itself cannot be resolved where it is hidden.
    `--allow-fs-read=${folder.path}/*`,
    `--allow-fs-write=${folder.path}/*`,
    `--max-old-space-size=${limits.heapMb}`,
    fileURLToPath(module),
    'serve-jobs',
  ];
}

/** Returns a package's real path, because packages may be elsewhere, behind a link. */
const placeOf = (name: string): string => realpathSync(ROOT + name);
