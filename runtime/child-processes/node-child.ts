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
  readonly wallMs: number;
  /** CPU time limit for all jobs of one process together. */
  readonly cpuSeconds: number;
  readonly heapMb: number;
  readonly memoryMb: number;
  readonly resultMb: number;
}

export interface NodeProgram {
  readonly module: URL;
  readonly limits: NodeLimits;
  /** True if the program loads native libraries, which Node's permissions do not restrict. */
  readonly addons?: boolean;
}

/** Long, because a child on a busy machine may need much longer than the usual 100 ms. */
const READY_WITHIN_MS = 30_000;
const MAX_MESSAGES_BYTES = 1_048_576;
const INPUT_MB = 64;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = ['runtime', 'store', 'actors', 'node_modules', 'package.json'];

type Listener = (message: unknown) => void;

export class NodeChild {
  readonly process: WatchedProcess;
  readonly #folder: JobFolder;
  readonly #limits: NodeLimits;
  #messagesBytes = 0;
  #listener: Listener | null = null;

  /** Resolves when the child is ready. Rejects with OVERLOADED if it cannot be started. */
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
      // The child has not read any input yet, so its input cannot have caused the failure.
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
    // Ends with `/*`, because the folder's own path cannot be resolved if it is hidden.
    `--allow-fs-read=${folder.path}/*`,
    `--allow-fs-write=${folder.path}/*`,
    `--max-old-space-size=${limits.heapMb}`,
    fileURLToPath(module),
    'serve-jobs',
  ];
}

/** Returns the real path, because packages may be behind a symbolic link. */
const placeOf = (name: string): string => realpathSync(ROOT + name);
